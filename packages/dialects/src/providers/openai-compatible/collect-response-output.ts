import { causedByRequest } from '../../failures/provider-failures.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { ENDS } from './parse-responses-event.ts';

/**
 * Collects the model's own text, to count when the provider reports no usage. Results of server tools,
 * pictures and encrypted reasoning are not text.
 */

/** Output without text. */
const NO_TEXT = {};

/** Members of an item that the model writes. */
const TEXT_MEMBERS = ['arguments', 'input', 'code', 'name', 'operation'] as const;
/** Members of an item with parts, each of which has its text. */
const IN_PARTS = ['content', 'summary'] as const;
const TEXTS = ['text', 'refusal', 'transcript'] as const;
/** Deltas with audio, images and the output of programs. */
const NO_TEXT_DELTA = /(?:audio|image|output_content|_outputs?)\.delta$/;

export function outputTextOf(item: unknown): unknown {
  if (!isObject(item)) return NO_TEXT;
  const texts: unknown[] = TEXT_MEMBERS.map((name) => item[name]);
  for (const name of IN_PARTS) {
    const parts = item[name];
    if (Array.isArray(parts)) texts.push(...parts.map(textOf));
  }
  const { action } = item;
  if (isObject(action)) texts.push(action.query, action.commands, action.command);
  return texts.filter((text) => text !== undefined && text !== null);
}

function textOf(part: unknown): unknown {
  return isObject(part) ? TEXTS.map((name) => part[name]).filter((text) => text !== undefined) : undefined;
}

/** Bounds memory: no model writes more items. */
const MAX_ITEMS = 10_000;

/** Collects the text of a stream, event by event. Text that comes both whole and in parts counts once. */
export class ResponseOutput {
  /** Indexes of items that came in deltas; `undefined`: without an index. */
  readonly #inParts = new Set<number | undefined>();
  #hasOutput = false;

  /**
   * @returns undefined for an event without output
   * @throws GatewayError 502 for too many items
   */
  of(event: JsonObject): unknown {
    const { delta, item, output_index: place, response, type } = event;
    if (typeof type !== 'string') return undefined;
    const index = typeof place === 'number' ? place : undefined;
    if (typeof delta === 'string' && type.endsWith('.delta')) {
      this.#hasOutput = true;
      this.#inParts.add(index);
      if (this.#inParts.size > MAX_ITEMS)
        throw causedByRequest('the provider wrote in more items than any model does');
      return NO_TEXT_DELTA.test(type) ? NO_TEXT : delta;
    }
    // An item costs output, even if its text is hidden.
    if (type === 'response.output_item.added') return NO_TEXT;
    if (type === 'response.output_item.done') {
      this.#hasOutput = true;
      return this.#inParts.has(index) ? undefined : outputTextOf(item);
    }
    return ENDS.has(type) && !this.#hasOutput && isObject(response) ? outputOf(response) : undefined;
  }
}

function outputOf({ output }: JsonObject): unknown {
  return Array.isArray(output) && output.length > 0 ? output.map(outputTextOf) : undefined;
}

import { causedByRequest } from '../../failures/provider-failures.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { CLAUDE_FORMAT } from '../../translation/reasoning-format.ts';
import { MAX_PARTS } from '../shared/max-parts.ts';
import {
  convertAnthropicCitations,
  redactedDetail,
  type ThoughtPlace,
  thinkingDetail,
} from './map-anthropic-output.ts';

/** Counts what was converted so far. */
export interface OutputProgress {
  /** UTF-16 units. */
  text: number;
  calls: number;
  thoughts: number;
}

/** Converts one block of a stream to deltas of Chat Completions. */
export interface ConvertedBlock {
  start(): JsonObject | undefined;
  /** @throws GatewayError 502 on a delta that belongs to another kind of block */
  delta(delta: JsonObject): JsonObject | undefined;
  stop(): JsonObject | undefined;
}

/** Skips blocks of other types. @param format of the signatures of thinking */
export function convertAnthropicBlockToChat(
  block: JsonObject,
  progress: OutputProgress,
  format: string = CLAUDE_FORMAT,
): ConvertedBlock {
  switch (block.type) {
    case 'text':
      return new TextBlock(block, progress);
    case 'thinking':
      return new ThinkingBlock(block, { format, index: progress.thoughts++ });
    case 'redacted_thinking':
      return new RedactedBlock(block, { format, index: progress.thoughts++ });
    case 'tool_use':
      return new CallBlock(block, progress.calls++);
    default:
      return OTHER;
  }
}

const OTHER: ConvertedBlock = { start: () => undefined, delta: () => undefined, stop: () => undefined };

class TextBlock implements ConvertedBlock {
  readonly #progress: OutputProgress;
  readonly #from: number;
  readonly #text: string;
  readonly #citations: unknown[];

  constructor({ citations, text }: JsonObject, progress: OutputProgress) {
    this.#progress = progress;
    this.#from = progress.text;
    this.#text = textIn(text ?? '');
    this.#citations = Array.isArray(citations) ? [...citations] : [];
  }

  start(): JsonObject | undefined {
    return this.#contentDelta(this.#text);
  }

  delta(delta: JsonObject): JsonObject | undefined {
    if (delta.type === 'text_delta') return this.#contentDelta(textIn(delta.text));
    if (delta.type === 'citations_delta') this.#cite(delta.citation);
    else refuseKnown(delta);
    return undefined;
  }

  #cite(citation: unknown): void {
    if (this.#citations.length === MAX_PARTS) throw causedByRequest('the provider sent too many citations');
    this.#citations.push(citation);
  }

  stop(): JsonObject | undefined {
    if (this.#citations.length === 0) return undefined;
    const annotations = convertAnthropicCitations(this.#citations, this.#from, this.#progress.text);
    return annotations.length === 0 ? undefined : { annotations };
  }

  #contentDelta(text: string): JsonObject | undefined {
    this.#progress.text += text.length;
    return text === '' ? undefined : { content: text };
  }
}

class ThinkingBlock implements ConvertedBlock {
  readonly #begun: JsonObject;
  readonly #place: ThoughtPlace;

  constructor(block: JsonObject, place: ThoughtPlace) {
    this.#begun = block;
    this.#place = place;
  }

  /** Sends the format only here: clients join the strings of one index. */
  start(): JsonObject {
    const text = textIn(this.#begun.thinking ?? '');
    const signature = textIn(this.#begun.signature ?? '');
    const detail = thinkingDetail(this.#place, { text, ...(signature === '' ? {} : { signature }) });
    return { ...(text === '' ? {} : { reasoning_content: text }), reasoning_details: [detail] };
  }

  delta(delta: JsonObject): JsonObject | undefined {
    if (delta.type === 'thinking_delta') {
      const text = textIn(delta.thinking);
      return text === '' ? undefined : { reasoning_content: text, reasoning_details: [this.#more({ text })] };
    }
    if (delta.type === 'signature_delta') {
      const signature = textIn(delta.signature);
      return signature === '' ? undefined : { reasoning_details: [this.#signed(signature)] };
    }
    refuseKnown(delta);
    return undefined;
  }

  stop(): undefined {}

  /** Names every format but Claude's, which is the default. */
  #signed(signature: string): JsonObject {
    const { format } = this.#place;
    return this.#more(format === CLAUDE_FORMAT ? { signature } : { signature, format });
  }

  #more(members: JsonObject): JsonObject {
    return { type: 'reasoning.text', ...members, index: this.#place.index };
  }
}

class RedactedBlock implements ConvertedBlock {
  readonly #data: string;
  readonly #place: ThoughtPlace;

  constructor({ data }: JsonObject, place: ThoughtPlace) {
    this.#data = textIn(data);
    this.#place = place;
  }

  start(): JsonObject {
    return { reasoning_details: [redactedDetail(this.#place, this.#data)] };
  }

  delta(delta: JsonObject): undefined {
    refuseKnown(delta);
  }

  stop(): undefined {}
}

class CallBlock implements ConvertedBlock {
  readonly #begun: JsonObject;
  readonly #index: number;
  #hasInput = false;

  constructor(block: JsonObject, index: number) {
    this.#begun = block;
    this.#index = index;
  }

  start(): JsonObject {
    const id = textIn(this.#begun.id);
    const name = textIn(this.#begun.name);
    const call = { index: this.#index, id, type: 'function', function: { name, arguments: '' } };
    return { tool_calls: [call] };
  }

  delta(delta: JsonObject): JsonObject | undefined {
    if (delta.type === 'input_json_delta') return this.#inputDelta(textIn(delta.partial_json));
    refuseKnown(delta);
    return undefined;
  }

  /** Some providers send the input at once, and none for a function without parameters. */
  stop(): JsonObject | undefined {
    return this.#hasInput ? undefined : this.#inputDelta(writeExactJson(this.#begun.input ?? {}));
  }

  #inputDelta(piece: string): JsonObject | undefined {
    if (piece === '') return undefined;
    this.#hasInput = true;
    return { tool_calls: [{ index: this.#index, function: { arguments: piece } }] };
  }
}

const KNOWN_DELTAS: ReadonlySet<unknown> = new Set([
  'text_delta',
  'citations_delta',
  'thinking_delta',
  'signature_delta',
  'input_json_delta',
]);

/** Skips unknown deltas. */
function refuseKnown({ type }: JsonObject): void {
  if (KNOWN_DELTAS.has(type)) throw causedByRequest(`a ${type} came in a block of another type`);
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw causedByRequest('a text of the response is not a string');
}

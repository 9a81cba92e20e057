import { causedByRequest } from '../../failures/provider-failures.ts';
import type { MessagesCaller } from '../../interfaces/chat-caller.ts';
import type { EventFraming } from '../../interfaces/event-framing.ts';
import type { EventTranslator } from '../../interfaces/response-translators.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import { type JsonObject, objectOr } from '../../json/json-object.ts';
import { inOneLine, requireOneLine } from '../shared/passthrough-event.ts';
import { isChargedCall, isSearch } from './anthropic-charged-calls.ts';
import { AnthropicEventOrder } from './anthropic-event-order.ts';
import {
  type AnthropicUsage,
  hasOutput,
  laterAnthropicUsage,
  reportAnthropicUsage,
} from './anthropic-usage.ts';
import { type AnthropicEvent, contentIn, parseAnthropicEvent } from './parse-anthropic-event.ts';

/** Deltas that the model writes; others are signatures, and quotations of what it has read. */
const WRITTEN_DELTAS: ReadonlySet<unknown> = new Set([
  'text_delta',
  'thinking_delta',
  'input_json_delta',
  'compaction_delta',
]);

/** Blocks that the model has worked for when they begin, whatever of them the caller can read. */
const WORKED_FOR: ReadonlySet<unknown> = new Set([
  'thinking',
  'redacted_thinking',
  'tool_use',
  'server_tool_use',
  'mcp_tool_use',
]);
/** Something was delivered, and none of it is text. */
const NO_TEXT = {};

/**
 * Events of Messages for a caller of that API: the data passes as it came, but for the model id. What would
 * make one answer look like two, like none, or like a whole one that it is not, breaks it off.
 */
export class AnthropicPassthroughStream implements EventTranslator {
  readonly mayEnd = false;
  readonly rest = '';
  readonly framing: EventFraming | undefined;
  readonly #caller: MessagesCaller;
  readonly #modelId: string;
  readonly #order = new AnthropicEventOrder();
  #hasBegun = false;
  #usage: AnthropicUsage | undefined;
  #chargedCalls = 0;
  #searches = 0;
  #outputSoFar = true;

  /** @param framing where the events do not come as server-sent ones */
  constructor(caller: MessagesCaller, modelId: string, framing?: EventFraming) {
    this.#caller = caller;
    this.#modelId = modelId;
    this.framing = framing;
  }

  translate(data: string): { text: string; done: boolean } {
    const event = parseAnthropicEvent(data, true);
    const { type } = event;
    if (type === 'message_start') return this.#start(event, data);
    if (!this.#hasBegun) {
      // Nothing of the answer is there: it may still be another provider's.
      if (type === 'ping') return { text: '', done: false };
      throw causedByRequest(`${type.slice(0, 100)} came before message_start`);
    }
    requireOneLine(type);
    this.#order.check(event);
    if (type === 'message_delta') {
      if (hasOutput(event.usage)) this.#outputSoFar = false;
      this.#count(event.usage);
    }
    if (type === 'content_block_start') this.#countCall(objectOr(event.content_block));
    const text = this.#caller.passEvent(type, inOneLine(data, event), written(event));
    return { text, done: type === 'message_stop' };
  }

  #start(event: AnthropicEvent, data: string): { text: string; done: boolean } {
    if (this.#hasBegun) throw causedByRequest('the provider began a second message in its answer');
    this.#hasBegun = true;
    const message = objectOr(event.message);
    this.#order.begin(message);
    if (typeof message.stop_reason === 'string') this.#outputSoFar = false;
    this.#count(message.usage);
    const content = contentIn(message);
    for (const block of content) this.#countCall(block);
    const written = content.length === 0 ? undefined : content;
    const text = this.#caller.passEvent('message_start', this.#renamed(event, message, data), written);
    return { text, done: false };
  }

  #renamed(event: AnthropicEvent, message: JsonObject, data: string): string {
    const model = JSON.stringify(this.#modelId);
    const [before, after, ...others] = data.split(`"model":${JSON.stringify(message.model)}`);
    const isCertain = before !== undefined && after !== undefined && others.length === 0;
    if (isCertain && !data.includes('\n')) return `${before}"model":${model}${after}`;
    return writeExactJson({ ...event, message: { ...message, model: this.#modelId } });
  }

  #count(usage: unknown): void {
    this.#usage = laterAnthropicUsage(this.#usage, usage);
    this.#tell();
  }

  /** A call has its price also where the answer breaks off after it. */
  #countCall(block: JsonObject): void {
    const [isCharged, searches] = [isChargedCall(block), isSearch(block)];
    if (!isCharged && !searches) return;
    if (isCharged) this.#chargedCalls++;
    if (searches) this.#searches++;
    this.#tell();
  }

  #tell(): void {
    const [toolCalls, searches, outputSoFar] = [this.#chargedCalls, this.#searches, this.#outputSoFar];
    reportAnthropicUsage(this.#caller, this.#usage, { toolCalls, searches, outputSoFar });
  }
}

/** @returns undefined when nothing of the answer is delivered with the event */
function written(event: AnthropicEvent): unknown {
  if (event.type === 'content_block_start')
    return WORKED_FOR.has(objectOr(event.content_block).type) ? NO_TEXT : undefined;
  if (event.type !== 'content_block_delta') return undefined;
  const delta = objectOr(event.delta);
  return WRITTEN_DELTAS.has(delta.type) ? delta : undefined;
}

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

/** Deltas with output; others are signatures and citations. */
const OUTPUT_DELTAS: ReadonlySet<unknown> = new Set([
  'text_delta',
  'thinking_delta',
  'input_json_delta',
  'compaction_delta',
]);

/** Blocks that cost output as soon as they begin. */
const BILLED_BLOCKS: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);
/** Output without text. */
const NO_TEXT = {};
/** Thinking whose text may be hidden: it costs output all the same. */
const HIDDEN_THINKING = { thinking: '' };

/**
 * Passes events of Messages unchanged, except for the model id. Breaks a stream that is incomplete or holds a
 * second message.
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

  /** @param framing left out: server-sent events */
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
      // Nothing was sent yet, so another provider can still answer.
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
    const text = this.#caller.passEvent(type, inOneLine(data, event), outputOf(event));
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
    this.#report();
  }

  /** A call is charged even if the stream breaks after it. */
  #countCall(block: JsonObject): void {
    const [isCharged, searches] = [isChargedCall(block), isSearch(block)];
    if (!isCharged && !searches) return;
    if (isCharged) this.#chargedCalls++;
    if (searches) this.#searches++;
    this.#report();
  }

  #report(): void {
    const [toolCalls, searches, outputSoFar] = [this.#chargedCalls, this.#searches, this.#outputSoFar];
    reportAnthropicUsage(this.#caller, this.#usage, { toolCalls, searches, outputSoFar });
  }
}

/** @returns undefined for an event without output */
function outputOf(event: AnthropicEvent): unknown {
  if (event.type === 'content_block_start') {
    const { type } = objectOr(event.content_block);
    if (type === 'thinking' || type === 'redacted_thinking') return HIDDEN_THINKING;
    return BILLED_BLOCKS.has(type) ? NO_TEXT : undefined;
  }
  if (event.type !== 'content_block_delta') return undefined;
  const delta = objectOr(event.delta);
  return OUTPUT_DELTAS.has(delta.type) ? delta : undefined;
}

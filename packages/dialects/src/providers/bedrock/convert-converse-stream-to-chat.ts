import type { GatewayError } from '@model-gateway/shared';
import { badGateway } from '@model-gateway/shared/errors';
import { parseEventJson } from '../../failures/parse-event-json.ts';
import { causedByRequest, rateLimitedInStream } from '../../failures/provider-failures.ts';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import {
  type EventTranslator,
  NO_EVENTS,
  type TranslatedEvents,
} from '../../interfaces/response-translators.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { CONVERSE_FORMAT } from '../../translation/reasoning-format.ts';
import {
  type AnthropicUsage,
  hasOutput,
  isWholeAnthropicUsage,
  laterAnthropicUsage,
  reportAnthropicUsage,
} from '../anthropic/anthropic-usage.ts';
import {
  type ConvertedBlock,
  convertAnthropicBlockToChat,
  type OutputProgress,
} from '../anthropic/convert-anthropic-block-to-chat.ts';
import { convertAnthropicUsage, mapAnthropicStopReason } from '../anthropic/map-anthropic-output.ts';
import { ChatChunks } from '../shared/write-chat-chunks.ts';
import { converseFraming, EXCEPTION } from './converse-framing.ts';
import { converseTier, convertConverseUsage } from './converse-usage.ts';
import { convertConverseBlockStart, convertConverseDelta } from './convert-converse-block.ts';
import { converseFailure, mapConverseStopReason } from './map-converse-stop-reason.ts';

const OF_THE_REQUEST = 'validationException';
const LIMITED = 'throttlingException';

/**
 * Converts events to chunks. The usage follows `messageStop`, and some models send none, so the last chunks
 * are sent with the usage or when the stream closes.
 */
export class ConverseStreamToChat implements EventTranslator {
  readonly framing = converseFraming;
  readonly #chunks: ChatChunks;
  readonly #progress: OutputProgress = { text: 0, calls: 0, thoughts: 0 };
  #open: { index: number; type: unknown; block: ConvertedBlock } | undefined;
  #lastIndex = -1;
  #finishReason: string | undefined;
  #usage: AnthropicUsage | undefined;
  /** True if there was output after the last usage. */
  #hasUncounted = false;
  #hasEnded = false;

  constructor(caller: ChatCaller, modelId: string) {
    this.#chunks = new ChatChunks(caller, modelId);
  }

  get mayEnd(): boolean {
    return this.#finishReason !== undefined && !this.#hasEnded;
  }

  get rest(): string {
    return this.#chunks.text;
  }

  translate(data: string): TranslatedEvents {
    const [type, event] = eventIn(data);
    if (this.#hasEnded) throw outOfOrder(type);
    switch (type) {
      case 'contentBlockDelta':
        this.#begin();
        this.#delta(event);
        return this.#chunks.take();
      case 'contentBlockStart':
        this.#begin();
        this.#start(event);
        return this.#chunks.take();
      case 'contentBlockStop':
        this.#begin();
        this.#close();
        return this.#chunks.take();
      case 'messageStart':
        if (this.#chunks.hasBegun) throw outOfOrder('a second messageStart');
        this.#begin();
        return this.#chunks.take();
      case 'messageStop':
        return this.#stop(event);
      case 'metadata':
        return this.#count(event);
      case EXCEPTION:
        throw failureOf(event);
      default:
        return NO_EVENTS;
    }
  }

  end(): string {
    this.#hasEnded = true;
    const counted = this.#hasUncounted ? undefined : this.#usage;
    const usage = isWholeAnthropicUsage(counted) ? convertAnthropicUsage(counted) : undefined;
    this.#chunks.end(this.#finishReason ?? 'stop', usage);
    return this.#chunks.take().text;
  }

  #begin(): void {
    if (this.#finishReason !== undefined) throw outOfOrder('more after messageStop');
    if (!this.#chunks.hasBegun) this.#chunks.begin();
  }

  #start({ contentBlockIndex, start }: JsonObject): void {
    const block = convertConverseBlockStart(start);
    if (block !== undefined) this.#openBlock(indexOf(contentBlockIndex), block);
  }

  #delta({ contentBlockIndex, delta }: JsonObject): void {
    const index = indexOf(contentBlockIndex);
    const converted = convertConverseDelta(delta);
    if (converted === undefined) return;
    const { block, pieces } = converted;
    const isOpen = this.#open?.index === index && this.#open.type === block.type;
    if (!isOpen && block.type === 'tool_use') throw outOfOrder('the input of a call that has not begun');
    if (!isOpen) this.#openBlock(index, block);
    for (const piece of pieces) this.#write(this.#open?.block.delta(piece));
  }

  #openBlock(index: number, begun: JsonObject): void {
    if (index < this.#lastIndex) throw outOfOrder('a block');
    this.#close();
    const block = convertAnthropicBlockToChat(begun, this.#progress, CONVERSE_FORMAT);
    this.#open = { index, type: begun.type, block };
    this.#lastIndex = index;
    this.#write(block.start());
  }

  /** Also called without `contentBlockStop`, which some providers leave out. */
  #close(): void {
    const closing = this.#open?.block;
    this.#open = undefined;
    this.#write(closing?.stop());
  }

  #write(delta: JsonObject | undefined): void {
    if (delta === undefined) return;
    this.#hasUncounted = true;
    this.#chunks.delta(delta);
  }

  #stop({ stopReason }: JsonObject): TranslatedEvents {
    const failure = converseFailure(stopReason);
    if (failure !== undefined) throw causedByRequest(failure);
    this.#begin();
    this.#close();
    this.#finishReason = mapAnthropicStopReason(mapConverseStopReason(stopReason), this.#progress.calls > 0);
    this.#reportUsage();
    return this.#usage === undefined ? this.#chunks.take() : { text: this.end(), done: true };
  }

  #reportUsage(): void {
    const outputSoFar = this.#hasUncounted || this.#finishReason === undefined;
    reportAnthropicUsage(this.#chunks, this.#usage, { outputSoFar });
  }

  #count({ serviceTier, usage }: JsonObject): TranslatedEvents {
    this.#chunks.reportTier(converseTier(serviceTier));
    const counted = convertConverseUsage(usage);
    this.#usage = laterAnthropicUsage(this.#usage, counted);
    if (hasOutput(counted)) this.#hasUncounted = false;
    this.#reportUsage();
    return this.#finishReason === undefined ? NO_EVENTS : { text: this.end(), done: true };
  }
}

function eventIn(data: string): [type: string, event: JsonObject] {
  const value = parseEventJson(data, parseExactJson);
  const [entry] = isObject(value) ? Object.entries(value) : [];
  if (entry === undefined || !isObject(entry[1])) throw causedByRequest('it is no event of Converse');
  return [entry[0], entry[1]];
}

function failureOf({ type }: JsonObject): GatewayError {
  const message = `the provider sent an exception: ${String(type).slice(0, 100)}`;
  if (type === LIMITED) return rateLimitedInStream(message);
  return type === OF_THE_REQUEST ? causedByRequest(message) : badGateway(new Error(message));
}

function indexOf(value: unknown): number {
  if (typeof value === 'number') return value;
  throw causedByRequest('a block of the answer has no index');
}

function outOfOrder(what: string): Error {
  return causedByRequest(`the provider sent ${what} out of order`);
}

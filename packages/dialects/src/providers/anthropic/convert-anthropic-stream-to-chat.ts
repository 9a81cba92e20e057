import { causedByRequest } from '../../failures/provider-failures.ts';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { EventFraming } from '../../interfaces/event-framing.ts';
import {
  type EventTranslator,
  NO_EVENTS,
  type TranslatedEvents,
} from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { ChatChunks } from '../shared/write-chat-chunks.ts';
import {
  type AnthropicUsage,
  hasOutput,
  isWholeAnthropicUsage,
  laterAnthropicUsage,
  reportAnthropicUsage,
} from './anthropic-usage.ts';
import {
  type ConvertedBlock,
  convertAnthropicBlockToChat,
  type OutputProgress,
} from './convert-anthropic-block-to-chat.ts';
import { convertAnthropicUsage, mapAnthropicStopReason, refusalIn } from './map-anthropic-output.ts';
import { type AnthropicEvent, contentIn, parseAnthropicEvent } from './parse-anthropic-event.ts';

/** Converts events of Messages to chunks. Events that are missing or out of order break the stream. */
export class AnthropicStreamToChat implements EventTranslator {
  readonly mayEnd = false;
  readonly framing: EventFraming | undefined;
  readonly #chunks: ChatChunks;
  readonly #progress: OutputProgress = { text: 0, calls: 0, thoughts: 0 };
  #open: { index: unknown; block: ConvertedBlock } | undefined;
  #stopped: { reason: string; refusal: string | undefined } | undefined;
  #usage: AnthropicUsage | undefined;
  #outputSoFar = true;
  #hasEnded = false;

  /** @param framing left out: server-sent events */
  constructor(caller: ChatCaller, modelId: string, framing?: EventFraming) {
    this.#chunks = new ChatChunks(caller, modelId);
    this.framing = framing;
  }

  get rest(): string {
    return this.#chunks.text;
  }

  translate(data: string): TranslatedEvents {
    const event = parseAnthropicEvent(data);
    switch (event.type) {
      case 'content_block_delta':
        return this.#delta(event);
      case 'content_block_start':
        return this.#startBlock(event);
      case 'content_block_stop':
        return this.#stopBlock(event);
      case 'message_start':
        return this.#start(event);
      case 'message_delta':
        return this.#stop(event);
      case 'message_stop':
        return this.#end();
      default:
        return NO_EVENTS;
    }
  }

  #start({ message }: AnthropicEvent): TranslatedEvents {
    if (this.#chunks.hasBegun) throw outOfOrder('a second message_start');
    const begun = objectOf(message);
    // The first chunk of some callers has the usage.
    this.#count(begun.usage);
    this.#chunks.begin(begun.id);
    for (const block of contentIn(begun)) this.#wholeBlock(block);
    if (typeof begun.stop_reason === 'string') this.#stop({ ...begun, type: 'message_delta', delta: begun });
    return this.#chunks.take();
  }

  #wholeBlock(content: JsonObject): void {
    const block = convertAnthropicBlockToChat(content, this.#progress);
    for (const delta of [block.start(), block.stop()]) if (delta !== undefined) this.#chunks.delta(delta);
  }

  #startBlock({ content_block, index }: AnthropicEvent): TranslatedEvents {
    if (this.#open !== undefined || this.#stopped !== undefined) throw outOfOrder('content_block_start');
    const block = convertAnthropicBlockToChat(objectOf(content_block), this.#progress);
    this.#open = { index, block };
    return this.#write(block.start());
  }

  #delta({ delta, index }: AnthropicEvent): TranslatedEvents {
    return this.#write(this.#blockOf(index).delta(objectOf(delta)));
  }

  #stopBlock({ index }: AnthropicEvent): TranslatedEvents {
    const block = this.#blockOf(index);
    this.#open = undefined;
    return this.#write(block.stop());
  }

  #blockOf(index: unknown): ConvertedBlock {
    if (this.#open === undefined || this.#open.index !== index) throw outOfOrder('a block that is not open');
    return this.#open.block;
  }

  #stop({ delta, usage }: AnthropicEvent): TranslatedEvents {
    if (!this.#chunks.hasBegun || this.#open !== undefined || this.#hasEnded)
      throw outOfOrder('message_delta');
    const { stop_details, stop_reason } = objectOf(delta);
    if (typeof stop_reason === 'string') {
      const refusal = stop_reason === 'refusal' ? refusalIn(stop_details) : undefined;
      this.#stopped = { reason: mapAnthropicStopReason(stop_reason, this.#progress.calls > 0), refusal };
    }
    if (hasOutput(usage)) this.#outputSoFar = false;
    this.#count(usage);
    return NO_EVENTS;
  }

  #end(): TranslatedEvents {
    const stopped = this.#stopped;
    if (stopped === undefined || this.#hasEnded) throw outOfOrder('message_stop');
    this.#hasEnded = true;
    const counted = this.#outputSoFar ? undefined : this.#usage;
    const usage = isWholeAnthropicUsage(counted) ? convertAnthropicUsage(counted) : undefined;
    this.#chunks.end(stopped.reason, usage, stopped.refusal);
    return this.#chunks.take(true);
  }

  #write(delta: JsonObject | undefined): TranslatedEvents {
    if (!this.#chunks.hasBegun) throw outOfOrder('a block before message_start');
    if (delta === undefined) return NO_EVENTS;
    this.#chunks.delta(delta);
    return this.#chunks.take();
  }

  #count(usage: unknown): void {
    this.#usage = laterAnthropicUsage(this.#usage, usage);
    reportAnthropicUsage(this.#chunks, this.#usage, { outputSoFar: this.#outputSoFar });
  }
}

function objectOf(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw causedByRequest('an event of the provider lacks a member');
}

function outOfOrder(what: string): Error {
  return causedByRequest(`the provider sent ${what} out of order`);
}

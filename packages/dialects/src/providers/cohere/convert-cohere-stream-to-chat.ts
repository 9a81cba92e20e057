import { badGateway } from '@model-gateway/shared/errors';
import { causedByRequest } from '../../failures/provider-failures.ts';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import {
  type EventTranslator,
  NO_EVENTS,
  type TranslatedEvents,
} from '../../interfaces/response-translators.ts';
import { type JsonObject, objectOr, textOr } from '../../json/json-object.ts';
import { MAX_PARTS } from '../shared/max-parts.ts';
import { ChatChunks } from '../shared/write-chat-chunks.ts';
import { billedTokens, convertCohereUsage, countCohereUsage } from './cohere-usage.ts';
import { convertCohereCitations } from './convert-cohere-citations.ts';
import { mapCohereFinishReason } from './map-cohere-finish-reason.ts';
import { type CohereEvent, messageIn, parseCohereEvent } from './parse-cohere-event.ts';
import { CohereArgumentPieces } from './read-cohere-arguments.ts';

interface OpenCall {
  /** Index among the calls of the response. */
  place: number;
  pieces: CohereArgumentPieces;
}

/** Converts events to chunks. A stream must begin with `message-start` and end with `message-end`. */
export class CohereStreamToChat implements EventTranslator {
  readonly mayEnd = false;
  readonly #chunks: ChatChunks;
  readonly #openCalls = new Map<unknown, OpenCall>();
  #calls = 0;
  /** UTF-16 units of all text so far. */
  #textLength = 0;
  /** Where the text of each part of the content begins. */
  readonly #partOffsets = new Map<unknown, number>();
  #hasEnded = false;

  constructor(caller: ChatCaller, modelId: string) {
    this.#chunks = new ChatChunks(caller, modelId);
  }

  get rest(): string {
    return this.#chunks.text;
  }

  translate(data: string): TranslatedEvents {
    const event = parseCohereEvent(data);
    if (event.type === 'message-start') return this.#start(event);
    if (!this.#chunks.hasBegun || this.#hasEnded) {
      throw causedByRequest(`the provider sent ${event.type.slice(0, 100)} out of order`);
    }
    if (event.type === 'message-end') return this.#end(event);
    const deltas = this.#deltasOf(event);
    if (this.#calls + this.#partOffsets.size > MAX_PARTS)
      throw causedByRequest('the provider sent too many parts');
    if (deltas.length === 0) return NO_EVENTS;
    this.#chunks.deltas(deltas);
    return this.#chunks.take();
  }

  #start({ id }: CohereEvent): TranslatedEvents {
    if (this.#chunks.hasBegun) throw causedByRequest('the provider sent a second message-start');
    this.#chunks.begin(id);
    return this.#chunks.take();
  }

  /** Skips unknown events. */
  #deltasOf(event: CohereEvent): JsonObject[] {
    switch (event.type) {
      case 'content-start':
        this.#partOffsets.set(event.index, this.#textLength);
        return this.#content(objectOr(messageIn(event).content));
      case 'content-delta':
        return this.#content(objectOr(messageIn(event).content));
      case 'tool-plan-delta':
        return this.#contentDeltas(textOr(messageIn(event).tool_plan));
      case 'tool-call-start':
        return this.#startCall(event);
      case 'tool-call-delta':
        return this.#moreOfCall(event);
      case 'tool-call-end':
        return this.#endCall(event.index);
      case 'citation-start':
        return this.#annotationDeltas(objectOr(messageIn(event).citations));
      default:
        return [];
    }
  }

  #content({ text, thinking }: JsonObject): JsonObject[] {
    const thought = textOr(thinking);
    return [
      ...(thought === '' ? [] : [{ reasoning_content: thought }]),
      ...this.#contentDeltas(textOr(text)),
    ];
  }

  #contentDeltas(text: string): JsonObject[] {
    this.#textLength += text.length;
    return text === '' ? [] : [{ content: text }];
  }

  #startCall(event: CohereEvent): JsonObject[] {
    const { function: called, id } = objectOr(messageIn(event).tool_calls);
    const { arguments: written, name } = objectOr(called);
    if (typeof id !== 'string' || typeof name !== 'string' || this.#openCalls.has(event.index)) {
      throw causedByRequest('the provider began a call of a tool that is none');
    }
    const call = { place: this.#calls++, pieces: new CohereArgumentPieces() };
    this.#openCalls.set(event.index, call);
    const begun = { index: call.place, id, type: 'function', function: { name, arguments: '' } };
    return [{ tool_calls: [begun] }, ...inputDeltas(call, call.pieces.add(textOr(written)))];
  }

  #moreOfCall(event: CohereEvent): JsonObject[] {
    const call = this.#openCalls.get(event.index);
    if (call === undefined) throw causedByRequest('the provider went on with a call that is not open');
    const { arguments: written } = objectOr(objectOr(messageIn(event).tool_calls).function);
    return inputDeltas(call, call.pieces.add(textOr(written)));
  }

  #endCall(index: unknown): JsonObject[] {
    const call = this.#openCalls.get(index);
    if (call === undefined) throw causedByRequest('the provider ended a call that is not open');
    this.#openCalls.delete(index);
    return inputDeltas(call, call.pieces.end());
  }

  #annotationDeltas(citation: JsonObject): JsonObject[] {
    const offset = this.#partOffsets.get(citation.content_index ?? 0) ?? 0;
    const annotations = convertCohereCitations(citation, offset);
    return annotations.length === 0 ? [] : [{ annotations }];
  }

  #end({ delta }: CohereEvent): TranslatedEvents {
    const { error, finish_reason, usage } = objectOr(delta);
    const billed = billedTokens(usage);
    // A failed response has a count too, and it is better than an estimate.
    if (billed !== undefined) this.#chunks.count(countCohereUsage(billed));
    if (textOr(error) !== '') throw badGateway(new Error('the provider ended its answer with an error'));
    const reason = mapCohereFinishReason(finish_reason, this.#calls > 0);
    this.#hasEnded = true;
    this.#chunks.deltas([...this.#openCalls.keys()].flatMap((index) => this.#endCall(index)));
    const counted = billed === undefined ? undefined : convertCohereUsage(billed);
    this.#chunks.end(reason, counted);
    return this.#chunks.take(true);
  }
}

function inputDeltas({ place }: OpenCall, piece: string): JsonObject[] {
  return piece === '' ? [] : [{ tool_calls: [{ index: place, function: { arguments: piece } }] }];
}

import { causedByRequest } from '../../failures/provider-failures.ts';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import {
  type EventTranslator,
  NO_EVENTS,
  type TranslatedEvents,
} from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { MAX_PARTS } from '../shared/max-parts.ts';
import { ChatChunks } from '../shared/write-chat-chunks.ts';
import { convertCall } from './convert-openai-response-to-chat.ts';
import { billedCalls, countHostedCalls, maxCalls } from './count-hosted-calls.ts';
import {
  BETWEEN_PARTS,
  convertUrlCitation,
  mapOpenAiResponseEnd,
  reasoningDetail,
  reasoningTexts,
} from './map-openai-output.ts';
import { convertResponsesUsage, countResponsesUsage } from './openai-responses-usage.ts';
import { ENDS, errorIn, FAILED, parseResponsesEvent, responsesFailure } from './parse-responses-event.ts';
import { MAX_RESPONSES_EVENT_BYTES } from './passthrough-responses-stream.ts';

interface OpenItem {
  /** Index among the calls, or among the reasoning items. */
  place: number;
  hasText: boolean;
}

/** Converts events to chunks. A stream must begin with `response.created` and end with a final event. */
export class OpenAiResponsesStreamToChat implements EventTranslator {
  readonly mayEnd = false;
  readonly maxEventBytes = MAX_RESPONSES_EVENT_BYTES;
  readonly #chunks: ChatChunks;
  readonly #items = new Map<unknown, OpenItem>();
  readonly #doneItems: JsonObject[] = [];
  #calls = 0;
  #thoughts = 0;
  /** UTF-16 units of all text, and of the text before the open part. */
  #textLength = 0;
  #partStart = 0;

  constructor(caller: ChatCaller, modelId: string) {
    this.#chunks = new ChatChunks(caller, modelId);
  }

  get rest(): string {
    return this.#chunks.text;
  }

  translate(data: string): TranslatedEvents {
    const { event } = parseResponsesEvent(data);
    const { response, type } = event;
    if (type === 'error') throw responsesFailure(errorIn(event));
    if (type === FAILED) throw responsesFailure(isObject(response) ? response.error : undefined);
    if (isObject(response)) this.#chunks.reportTier(response.service_tier);
    if (type === 'response.created') return this.#start();
    if (!this.#chunks.hasBegun) {
      if (!type.startsWith('response.')) return NO_EVENTS;
      throw causedByRequest(`the provider sent ${type.slice(0, 100)} out of order`);
    }
    if (ENDS.has(type)) return this.#end(response);
    const deltas = this.#deltasOf(event);
    if (deltas.length === 0) return NO_EVENTS;
    this.#chunks.deltas(deltas);
    return this.#chunks.take();
  }

  #start(): TranslatedEvents {
    if (this.#chunks.hasBegun) throw causedByRequest('the provider began a second response in its answer');
    this.#chunks.begin();
    return this.#chunks.take();
  }

  /** Skips unknown events: the final event of an item repeats their content. */
  #deltasOf(event: JsonObject): JsonObject[] {
    const delta = typeof event.delta === 'string' ? event.delta : '';
    switch (event.type) {
      case 'response.output_text.delta':
        return this.#text(event, delta);
      case 'response.refusal.delta':
        this.#itemOf(event).hasText = true;
        return delta === '' ? [] : [{ refusal: delta }];
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#reasoning(this.#itemOf(event), delta);
      case 'response.reasoning_summary_part.added':
        return this.#itemOf(event).hasText ? this.#reasoning(this.#itemOf(event), BETWEEN_PARTS) : [];
      case 'response.function_call_arguments.delta':
        return this.#moreOfCall(event, { function: { arguments: delta } });
      case 'response.custom_tool_call_input.delta':
        return this.#moreOfCall(event, { custom: { input: delta } });
      case 'response.content_part.added':
        this.#partStart = this.#textLength;
        return [];
      case 'response.output_text.annotation.added':
        return annotationDelta([event.annotation], this.#partStart);
      case 'response.output_item.added':
        return isObject(event.item) ? this.#startItem(event, event.item) : [];
      case 'response.output_item.done':
        return isObject(event.item) ? this.#endItem(event, event.item) : [];
      default:
        return [];
    }
  }

  #text(event: JsonObject, text: string): JsonObject[] {
    this.#itemOf(event).hasText = true;
    this.#textLength += text.length;
    return text === '' ? [] : [{ content: text }];
  }

  #reasoning(item: OpenItem, text: string): JsonObject[] {
    if (text === '') return [];
    item.hasText = true;
    return [{ reasoning_content: text, reasoning_details: [reasoningDetail(item.place, { text })] }];
  }

  #moreOfCall(event: JsonObject, more: JsonObject): JsonObject[] {
    const item = this.#items.get(event.output_index);
    if (item === undefined) throw causedByRequest('the provider went on with a call that is not open');
    if (event.delta === '') return [];
    item.hasText = true;
    return [{ tool_calls: [{ index: item.place, ...more }] }];
  }

  #itemOf({ output_index: index }: JsonObject): OpenItem {
    return this.#items.get(index) ?? this.#open(index, this.#thoughts);
  }

  #open(index: unknown, place: number): OpenItem {
    if (this.#items.size === MAX_PARTS) throw causedByRequest('the provider sent too many parts');
    const item = { place, hasText: false };
    this.#items.set(index, item);
    return item;
  }

  #startItem({ output_index: index }: JsonObject, item: JsonObject): JsonObject[] {
    if (this.#items.has(index)) throw causedByRequest('the provider began an item twice');
    const call = convertCall(item);
    if (call === undefined) {
      this.#open(index, item.type === 'reasoning' ? this.#thoughts++ : 0);
      return [];
    }
    if (typeof call.id !== 'string' || typeof item.name !== 'string')
      throw causedByRequest('the provider began a call of a tool that is none');
    const opened = this.#open(index, this.#calls++);
    opened.hasText = Boolean(item.arguments ?? item.input);
    return [{ tool_calls: [{ index: opened.place, ...call }] }];
  }

  /** Adds what did not come in deltas, and the signature that the provider needs back. */
  #endItem(event: JsonObject, item: JsonObject): JsonObject[] {
    this.#doneItems.push(item);
    if (this.#doneItems.length > MAX_PARTS) throw causedByRequest('the provider sent too many parts');
    const begun = this.#items.has(event.output_index) ? [] : this.#startItem(event, item);
    const open = this.#itemOf(event);
    const hasText = open.hasText;
    if (item.type === 'message') return hasText ? begun : [...begun, ...this.#wholeMessage(item)];
    if (item.type === 'reasoning') {
      const text = hasText ? '' : reasoningTexts(item).join(BETWEEN_PARTS);
      return [...begun, ...this.#reasoning(open, text), ...signatureDelta(open.place, item)];
    }
    if (hasText || begun.length > 0) return begun;
    if (item.type === 'function_call')
      return this.#moreOfCall(
        { ...event, delta: item.arguments },
        { function: { arguments: item.arguments } },
      );
    if (item.type === 'custom_tool_call')
      return this.#moreOfCall({ ...event, delta: item.input }, { custom: { input: item.input } });
    return [];
  }

  #wholeMessage({ content }: JsonObject): JsonObject[] {
    if (!Array.isArray(content)) return [];
    return content.filter(isObject).flatMap(({ annotations, refusal, text }) => {
      const start = this.#textLength;
      if (typeof text === 'string') this.#textLength += text.length;
      return [
        ...(typeof text === 'string' && text !== '' ? [{ content: text }] : []),
        ...(typeof refusal === 'string' && refusal !== '' ? [{ refusal }] : []),
        ...(Array.isArray(annotations) ? annotationDelta(annotations, start) : []),
      ];
    });
  }

  #end(response: unknown): TranslatedEvents {
    if (!isObject(response) || !Array.isArray(response.output))
      throw causedByRequest('the last event of the provider has no response');
    const calls = maxCalls(countHostedCalls(this.#doneItems), countHostedCalls(response.output));
    const counted = countResponsesUsage(response.usage, billedCalls(response, calls));
    if (counted !== undefined) this.#chunks.count(counted);
    const reason = mapOpenAiResponseEnd(response, this.#calls > 0);
    this.#chunks.end(reason, convertResponsesUsage(response.usage));
    return this.#chunks.take(true);
  }
}

function annotationDelta(given: readonly unknown[], offset: number): JsonObject[] {
  const annotations = given.flatMap((one) => convertUrlCitation(one, offset));
  return annotations.length === 0 ? [] : [{ annotations }];
}

function signatureDelta(place: number, { encrypted_content: signature }: JsonObject): JsonObject[] {
  if (typeof signature !== 'string' || signature === '') return [];
  return [{ reasoning_details: [reasoningDetail(place, { signature })] }];
}

import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { buildChatCompletion, buildChatMessage } from '../shared/build-chat-completion.ts';
import { billedCalls, countHostedCalls } from './count-hosted-calls.ts';
import {
  BETWEEN_PARTS,
  convertUrlCitation,
  mapOpenAiResponseEnd,
  reasoningDetail,
  reasoningTexts,
} from './map-openai-output.ts';
import { convertResponsesUsage, countResponsesUsage } from './openai-responses-usage.ts';
import { responsesFailure } from './parse-responses-event.ts';
import { requireResponse } from './passthrough-response.ts';

export function convertOpenAiResponseToChat(caller: ChatCaller, modelId: string): JsonTranslator {
  return {
    whole: (value) => {
      const response = requireResponse(value);
      if (response.status === 'failed') throw responsesFailure(response.error);
      caller.reportTier(response.service_tier);
      const counted = countResponsesUsage(
        response.usage,
        billedCalls(response, countHostedCalls(response.output)),
      );
      if (counted !== undefined) caller.count(counted);
      const { calls, message } = new MessageBuilder().build(response.output.filter(isObject));
      const choice = { message, finish_reason: mapOpenAiResponseEnd(response, calls > 0) };
      const usage = convertResponsesUsage(response.usage);
      return caller.completion(buildChatCompletion(undefined, modelId, choice, usage));
    },
  };
}

class MessageBuilder {
  #text = '';
  #refusal = '';
  #reasoning: string[] = [];
  readonly #details: JsonObject[] = [];
  readonly #calls: JsonObject[] = [];
  readonly #annotations: JsonObject[] = [];

  build(items: readonly JsonObject[]): { message: JsonObject; calls: number } {
    for (const item of items) this.#add(item);
    const message = buildChatMessage({
      text: this.#text,
      refusal: this.#refusal === '' ? undefined : this.#refusal,
      reasoning: this.#reasoning.join(BETWEEN_PARTS),
      details: this.#details,
      calls: this.#calls,
      annotations: this.#annotations,
    });
    return { message, calls: this.#calls.length };
  }

  #add(item: JsonObject): void {
    if (item.type === 'message' && Array.isArray(item.content))
      for (const part of item.content) if (isObject(part)) this.#addPart(part);
    if (item.type === 'reasoning') this.#addReasoning(item);
    const call = convertCall(item);
    if (call !== undefined) this.#calls.push(call);
  }

  #addPart({ annotations, refusal, text }: JsonObject): void {
    if (typeof refusal === 'string') this.#refusal += refusal;
    if (typeof text !== 'string') return;
    const offset = this.#text.length;
    this.#text += text;
    if (Array.isArray(annotations))
      this.#annotations.push(...annotations.flatMap((one: unknown) => convertUrlCitation(one, offset)));
  }

  #addReasoning(item: JsonObject): void {
    const { encrypted_content: encrypted } = item;
    const texts = reasoningTexts(item);
    this.#reasoning.push(...texts);
    const text = texts.join(BETWEEN_PARTS);
    if (typeof encrypted !== 'string' || encrypted === '') return;
    const members = { ...(text === '' ? {} : { text }), signature: encrypted };
    this.#details.push(reasoningDetail(this.#details.length, members));
  }
}

/** @returns undefined for items that are no call of a caller's tool */
export function convertCall({
  arguments: args,
  call_id,
  input,
  name,
  type,
}: JsonObject): JsonObject | undefined {
  if (type === 'function_call') return { id: call_id, type: 'function', function: { name, arguments: args } };
  if (type === 'custom_tool_call') return { id: call_id, type: 'custom', custom: { name, input } };
  return undefined;
}

import { randomUUID } from 'node:crypto';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import type { JsonObject } from '../../json/json-object.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';
import { MAX_PICTURES_BYTES } from '../shared/convert-images-to-openai.ts';
import { convertGeminiUsage, geminiUnits } from './gemini-usage.ts';
import { mapGeminiFinishReason } from './map-gemini-finish-reason.ts';
import { type GeminiResponse, parseGeminiResponse } from './parse-gemini-response.ts';
import { GeminiPartReader } from './read-gemini-parts.ts';

/** A whole answer of generateContent, told to a caller in the shape of Chat Completions. */
export function convertGeminiResponseToChat(caller: ChatCaller, modelId: string): JsonTranslator {
  return {
    maxBytes: MAX_PICTURES_BYTES,
    whole: (value) => {
      const answer = parseGeminiResponse(value);
      const units = geminiUnits(answer.usage);
      const isWritten = answer.parts.length > 0 && units?.outputTokens === 0;
      if (units !== undefined) caller.count(isWritten ? { units, outputSoFar: true } : { units });
      return caller.completion(completionOf(answer, isWritten ? undefined : units, modelId));
    },
  };
}

function completionOf(
  answer: GeminiResponse,
  units: CountedUsage['units'] | undefined,
  modelId: string,
): ChatResponse {
  const parts = new GeminiPartReader();
  const message = new Message();
  for (const part of answer.parts) for (const delta of parts.read(part)) message.add(delta);
  for (const delta of parts.close()) message.add(delta);
  const { reason, refusal } = mapGeminiFinishReason(answer, parts.hasCalls);
  return {
    id: answer.id ?? `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: modelId,
    choices: [{ index: 0, message: message.told(refusal), finish_reason: reason }],
    ...(units === undefined ? {} : { usage: convertGeminiUsage(units) }),
  };
}

/** Gathers the deltas of an answer. */
class Message {
  #content = '';
  #reasoning = '';
  readonly #details: unknown[] = [];
  readonly #images: unknown[] = [];
  readonly #calls: unknown[] = [];

  add({ content, images, reasoning_content, reasoning_details, tool_calls }: JsonObject): void {
    if (typeof content === 'string') this.#content += content;
    if (typeof reasoning_content === 'string') this.#reasoning += reasoning_content;
    if (Array.isArray(reasoning_details)) this.#details.push(...reasoning_details);
    if (Array.isArray(images)) this.#images.push(...images);
    if (Array.isArray(tool_calls)) this.#calls.push(...tool_calls.map(withoutIndex));
  }

  told(refusal: string | undefined): JsonObject {
    const isSilent = this.#content === '' && (this.#calls.length > 0 || refusal !== undefined);
    return {
      role: 'assistant',
      content: isSilent ? null : this.#content,
      refusal: refusal ?? null,
      ...(this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning }),
      ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
      ...(this.#images.length === 0 ? {} : { images: this.#images }),
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
    };
  }
}

/** Only a stream needs it. */
function withoutIndex({ index: _index, ...call }: JsonObject): JsonObject {
  return call;
}

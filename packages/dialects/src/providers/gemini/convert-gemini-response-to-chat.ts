import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { buildChatCompletion, buildChatMessage } from '../shared/build-chat-completion.ts';
import { MAX_PICTURES_BYTES } from '../shared/convert-images-to-openai.ts';
import { convertGeminiUsage, geminiTier, geminiUnits } from './gemini-usage.ts';
import { mapGeminiFinishReason } from './map-gemini-finish-reason.ts';
import { parseGeminiResponse } from './parse-gemini-response.ts';
import { GeminiPartReader } from './read-gemini-parts.ts';

export function convertGeminiResponseToChat(caller: ChatCaller, modelId: string): JsonTranslator {
  return {
    maxBytes: MAX_PICTURES_BYTES,
    whole: (value) => {
      const answer = parseGeminiResponse(value);
      caller.reportTier(geminiTier(answer.usage));
      const units = geminiUnits(answer.usage);
      const lacksOutputCount = answer.parts.length > 0 && units?.outputTokens === 0;
      if (units !== undefined) caller.count(lacksOutputCount ? { units, outputSoFar: true } : { units });
      const parts = new GeminiPartReader();
      const message = new Message();
      for (const part of answer.parts) for (const delta of parts.read(part)) message.add(delta);
      for (const delta of parts.close()) message.add(delta);
      const { reason, refusal } = mapGeminiFinishReason(answer, parts.hasCalls);
      const choice = { message: message.whole(refusal), finish_reason: reason };
      const usage = units === undefined || lacksOutputCount ? undefined : convertGeminiUsage(units);
      return caller.completion(buildChatCompletion(answer.id, modelId, choice, usage));
    },
  };
}

/** Joins the deltas of a response. */
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

  whole(refusal: string | undefined): JsonObject {
    return buildChatMessage({
      text: this.#content,
      refusal,
      reasoning: this.#reasoning,
      details: this.#details,
      images: this.#images,
      calls: this.#calls,
    });
  }
}

/** Only streams have an index. */
function withoutIndex({ index: _index, ...call }: JsonObject): JsonObject {
  return call;
}

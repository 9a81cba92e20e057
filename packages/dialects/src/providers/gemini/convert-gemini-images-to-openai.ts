import { isObject, type JsonObject } from '../../json/json-object.ts';
import { convertImagesToOpenAi } from '../shared/convert-images-to-openai.ts';
import { geminiUnits } from './gemini-usage.ts';
import { parseGeminiResponse } from './parse-gemini-response.ts';

/** Leaves out the text of the response: OpenAI's image API has none. */
export function convertGeminiImagesToOpenAi(value: unknown): JsonObject {
  const { block, finishMessage, finishReason, parts, usage } = parseGeminiResponse(value);
  const base64 = parts.flatMap(({ inlineData, thought }) => {
    if (!isObject(inlineData) || thought === true) return [];
    const { data, mimeType } = inlineData;
    return typeof data === 'string' && String(mimeType).startsWith('image/') ? [data] : [];
  });
  const message = [block?.message, finishMessage].find((text) => typeof text === 'string' && text !== '');
  const reason = block?.reason ?? finishReason ?? '';
  const refusal =
    reason === 'STOP'
      ? undefined
      : `The model has drawn no picture: ${String(message ?? reason).slice(0, 500)}`;
  return { ...convertImagesToOpenAi(base64, refusal), ...usageOf(usage) };
}

/** Returns `{}` for a usage with missing or absurd counts. */
function usageOf(usage: unknown): JsonObject {
  const units = geminiUnits(usage);
  if (units === undefined) return {};
  const { imageInputTokens = 0, imageOutputTokens = 0, inputTokens = 0, outputTokens = 0 } = units;
  const details = (all: number, pictures: number) => ({
    image_tokens: pictures,
    text_tokens: all - pictures,
  });
  return {
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      input_tokens_details: details(inputTokens, imageInputTokens),
      output_tokens_details: details(outputTokens, imageOutputTokens),
    },
  };
}

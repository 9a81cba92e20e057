import type { Chat } from '../../interfaces/chat.ts';
import { given, type JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { numberAt, textsAt } from '../../translation/field-values.ts';
import type { TranslatedRequest, Translation } from '../../translation/translation.ts';
import { readMaxTokens, readStops } from '../shared/read-chat-limits.ts';
import { serviceTierFor } from '../shared/service-tier-for.ts';
import { convertChatMessagesToGemini } from './convert-chat-messages-to-gemini.ts';
import { convertToolsToGemini } from './convert-tools-to-gemini.ts';
import { GEMINI_FIELDS } from './gemini-fields.ts';
import { geminiResourceName } from './gemini-model-path.ts';
import { geminiModelTraits } from './gemini-model-traits.ts';
import { geminiOutputFormat } from './gemini-output-format.ts';
import { geminiThinking } from './gemini-thinking.ts';

/** Source: `GenerationConfig` of Google's reference of the API, `stopSequences`. */
const MAX_STOP_SEQUENCES = 5;

/** Source: "Flex inference" and "Priority inference" in the documentation of the Gemini API. */
const TIERS = new Map([
  ['default', 'standard'],
  ['flex', 'flex'],
  ['priority', 'priority'],
]);

const SAMPLING: readonly (readonly [name: string, ours: string])[] = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['seed', 'seed'],
];

/** Leaves out model and `stream`, which are in the path. @throws GatewayError 400 for what Google lacks */
export function convertChatToGemini(
  chatRequest: JsonObject,
  { id, maxOutputTokens }: Chat['model'],
  upstreamModel: string,
): TranslatedRequest {
  const reader = new FieldReader(id, GEMINI_FIELDS, ['cache_control']);
  const request = reader.members(chatRequest, '');
  if (request.stream_options !== undefined) reader.members(request.stream_options, 'stream_options');
  const traits = geminiModelTraits(upstreamModel);
  const { system, contents } = convertChatMessagesToGemini(request.messages, traits, reader);
  const { config, tools } = convertToolsToGemini(request, reader);
  const generation = {
    ...given('maxOutputTokens', readMaxTokens(request, maxOutputTokens)),
    ...sampling(request),
    ...stopOf(request.stop, reader),
    ...geminiOutputFormat(request.response_format, reader),
    ...modalitiesOf(request.modalities),
    ...geminiThinking(request, traits, reader),
  };
  const translated = {
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    contents,
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools }] }),
    ...(config === undefined ? {} : { toolConfig: { functionCallingConfig: config } }),
    ...(Object.keys(generation).length === 0 ? {} : { generationConfig: generation }),
    ...given('serviceTier', serviceTierFor(request.service_tier, TIERS, reader)),
  };
  return { request: translated, ignored: reader.ignored };
}

function sampling(request: JsonObject): JsonObject {
  const present = SAMPLING.filter(([name]) => request[name] !== undefined);
  return Object.fromEntries(present.map(([name, geminiName]) => [geminiName, numberAt(request[name], name)]));
}

/** Ignores empty texts by name, because Google refuses them. */
function stopOf(stop: unknown, reader: FieldReader): JsonObject {
  const all = readStops(stop);
  const texts = all.filter((text) => text !== '');
  if (texts.length < all.length) reader.ignore('stop');
  if (texts.length > MAX_STOP_SEQUENCES)
    throw reader.refusal('stop', `stops at no more than ${MAX_STOP_SEQUENCES} texts`);
  return texts.length === 0 ? {} : { stopSequences: texts };
}

function modalitiesOf(modalities: unknown): JsonObject {
  if (modalities === undefined) return {};
  return { responseModalities: textsAt(modalities, 'modalities').map((name) => name.toUpperCase()) };
}

export const CHAT_TO_GEMINI: Translation = {
  name: 'content from completions',
  omitsModel: true,
  apply: (request, model) => convertChatToGemini(request, model, model.upstreamModel),
};

/** Vertex AI takes the service tier in a header. */
export const CHAT_TO_VERTEX_GEMINI: Translation = {
  name: 'content on vertex from completions',
  omitsModel: true,
  apply: (request, model) => {
    const { request: content, ...rest } = convertChatToGemini(request, model, model.upstreamModel);
    const { serviceTier: _inHeader, ...body } = content;
    return { ...rest, request: body };
  },
};

/** Builds the request for countTokens. */
export const CHAT_TO_GEMINI_COUNT: Translation = {
  name: 'counted content from completions',
  omitsModel: true,
  apply: (request, model) => {
    const { request: content, ...rest } = convertChatToGemini(request, model, model.upstreamModel);
    return {
      ...rest,
      request: { generateContentRequest: { model: geminiResourceName(model.upstreamModel), ...content } },
    };
  },
};

import type { Chat } from '../../interfaces/chat.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { numberAt, objectAt, textAt } from '../../translation/field-values.ts';
import { CONVERSE_FORMAT } from '../../translation/reasoning-format.ts';
import type { TranslatedRequest, Translation } from '../../translation/translation.ts';
import { DEFAULT_OUTPUT_TOKENS } from '../../usage/default-output.ts';
import { anthropicModelTraits } from '../anthropic/anthropic-model-traits.ts';
import { anthropicSampling } from '../anthropic/anthropic-sampling.ts';
import { anthropicSchema } from '../anthropic/anthropic-schema.ts';
import { convertChatMessagesToAnthropic } from '../anthropic/convert-chat-messages-to-anthropic.ts';
import { JSON_ONLY, stopSequences } from '../anthropic/convert-chat-to-anthropic.ts';
import { textBlocks } from '../anthropic/convert-content-to-anthropic.ts';
import { readMaxTokens } from '../shared/read-chat-limits.ts';
import { rejectRemoteUrls } from '../shared/reject-remote-urls.ts';
import { serviceTierFor } from '../shared/service-tier-for.ts';
import { BEDROCK_TIERS } from './bedrock-tiers.ts';
import { CONVERSE_FIELDS } from './converse-fields.ts';
import { type ConverseModelTraits, converseModelTraits } from './converse-model-traits.ts';
import { converseThinking } from './converse-thinking.ts';
import { ConverseBlocks } from './convert-blocks-to-converse.ts';
import { convertToolsToConverse } from './convert-tools-to-converse.ts';

/**
 * Converts to Messages first, because both APIs require the same order of turns and tool results, and then
 * the blocks to Converse. @throws GatewayError 400 for a field that Converse cannot express
 */
export function convertChatToConverse(
  chatRequest: JsonObject,
  { id, maxOutputTokens }: Chat['model'],
  upstreamModel: string,
): TranslatedRequest {
  rejectRemoteUrls(chatRequest, id);
  const reader = new FieldReader(id, CONVERSE_FIELDS);
  const request = reader.members(chatRequest, '');
  if (request.stream_options !== undefined) reader.members(request.stream_options, 'stream_options');
  const traits = converseModelTraits(upstreamModel);
  const { system, turns } = convertChatMessagesToAnthropic(request.messages, reader, {
    family: CONVERSE_FORMAT,
  });
  if (asksForJson(request.response_format)) system.push(...textBlocks(JSON_ONLY));
  const blocks = new ConverseBlocks(traits, reader);
  const messages = turns.map(({ content, role }) => ({ role, content: blocks.content(content) }));
  const hasCalls = messages.some(({ content }) => content.some((block) => 'toolUse' in block));
  const toolConfig = convertToolsToConverse(request, { traits, hasCalls, reader });
  const { top_k, ...sampling } = anthropicSampling(
    request,
    { isThinking: false, traits: anthropicModelTraits('') },
    reader,
  );
  const stop = stopSequences(request.stop, reader);
  const modelFields = {
    ...ownTopK(top_k, traits, reader),
    ...converseThinking(request, turns, traits, reader),
  };
  if (request.cache_control !== undefined)
    blocks.addFinalCachePoint(messages.at(-1)?.content, request.cache_control);
  const tier = serviceTierFor(request.service_tier, BEDROCK_TIERS, reader);
  const translated = {
    messages,
    ...(system.length === 0 ? {} : { system: blocks.content(system) }),
    inferenceConfig: {
      maxTokens: readMaxTokens(request, maxOutputTokens) ?? maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
      ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
      ...(sampling.top_p === undefined ? {} : { topP: sampling.top_p }),
      ...(stop.length === 0 ? {} : { stopSequences: stop }),
    },
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...outputConfig(request.response_format, reader),
    ...(Object.keys(modelFields).length === 0 ? {} : { additionalModelRequestFields: modelFields }),
    ...(tier === undefined ? {} : { serviceTier: { type: tier } }),
  };
  return { request: translated, ignored: reader.ignored };
}

function ownTopK(topK: unknown, traits: ConverseModelTraits, reader: FieldReader): JsonObject {
  if (topK === undefined) return {};
  const value = numberAt(topK, 'top_k');
  if (traits.topK === 'top_k') return { top_k: value };
  if (traits.topK === 'inferenceConfig.topK') return { inferenceConfig: { topK: value } };
  reader.ignore('top_k');
  return {};
}

function outputConfig(given: unknown, reader: FieldReader): JsonObject {
  if (given === undefined) return {};
  const { json_schema, type } = reader.members(given, 'response_format');
  if (type === 'text') return {};
  if (type === 'json_schema') {
    const at = 'response_format.json_schema';
    const { description, name, schema } = reader.members(json_schema, at);
    const jsonSchema = {
      // Converse takes the schema as a string.
      schema: writeExactJson(anthropicSchema(objectAt(schema, `${at}.schema`), `${at}.schema`, reader)),
      ...(name === undefined ? {} : { name: textAt(name, `${at}.name`) }),
      ...(description === undefined ? {} : { description: textAt(description, `${at}.description`) }),
    };
    return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
  }
  if (type !== 'json_object') throw reader.refusal('response_format.type', 'takes no such format');
  return {};
}

/** Converse has no format for JSON without a schema: the system prompt asks for it. */
function asksForJson(format: unknown): boolean {
  return isObject(format) && format.type === 'json_object';
}

export const CHAT_TO_CONVERSE: Translation = {
  name: 'converse from completions',
  omitsModel: true,
  apply: (request, model) => convertChatToConverse(request, model, model.upstreamModel),
};

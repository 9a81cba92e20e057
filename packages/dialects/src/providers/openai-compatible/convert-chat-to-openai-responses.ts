import type { JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, numberAt, objectAt, textAt } from '../../translation/field-values.ts';
import type { TranslatedFor, TranslatedRequest, Translation } from '../../translation/translation.ts';
import { readMaxTokens } from '../shared/read-chat-limits.ts';
import { convertChatMessagesToInput } from './convert-chat-messages-to-input.ts';
import { convertToolsToOpenAiResponses } from './convert-tools-to-openai-responses.ts';
import { OPENAI_RESPONSES_FIELDS } from './openai-responses-fields.ts';
import { openAiResponsesReasoning } from './openai-responses-reasoning.ts';

/** Source: https://platform.openai.com/docs/api-reference/responses/create, `max_output_tokens`. */
const MIN_OUTPUT_TOKENS = 16;
const DEFAULTS = { temperature: 1, top_p: 1, frequency_penalty: 0, presence_penalty: 0 } as const;
const AS_SENT = [
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'user',
] as const;

/** Sets `store: false`. @throws GatewayError 400 for a field that Responses cannot express */
export function convertChatToOpenAiResponses(
  chat: JsonObject,
  { id, maxOutputTokens, upstreamModel }: TranslatedFor,
): TranslatedRequest {
  const reader = new FieldReader(id, OPENAI_RESPONSES_FIELDS);
  const request = reader.members(chat, '');
  if (request.stream_options !== undefined) reader.members(request.stream_options, 'stream_options');
  const maxTokens = maxTokensOf(request, maxOutputTokens, reader);
  const translated = {
    ...(request.stream === true ? { stream: true } : {}),
    input: convertChatMessagesToInput(request.messages, reader),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...sampling(request),
    ...convertToolsToOpenAiResponses(request, reader),
    ...textSettings(request, reader),
    ...openAiResponsesReasoning(request, upstreamModel, reader),
    ...Object.fromEntries(
      AS_SENT.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])),
    ),
    store: false,
  };
  return { request: translated, ignored: reader.ignored };
}

function maxTokensOf(
  request: JsonObject,
  modelMax: number | undefined,
  reader: FieldReader,
): number | undefined {
  const requested = readMaxTokens(request);
  if (requested === undefined) return undefined;
  if (requested < MIN_OUTPUT_TOKENS)
    reader.ignore(request.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens');
  return Math.max(MIN_OUTPUT_TOKENS, Math.min(requested, modelMax ?? requested));
}

function sampling(request: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(DEFAULTS).flatMap(([name, defaultValue]) => {
      const given = request[name];
      return given === undefined || numberAt(given, name) === defaultValue ? [] : [[name, given]];
    }),
  );
}

function textSettings({ response_format, verbosity }: JsonObject, reader: FieldReader): JsonObject {
  const format = response_format === undefined ? undefined : formatOf(response_format, reader);
  const text = {
    ...(format === undefined ? {} : { format }),
    ...(verbosity === undefined ? {} : { verbosity: textAt(verbosity, 'verbosity') }),
  };
  return Object.keys(text).length === 0 ? {} : { text };
}

function formatOf(given: unknown, reader: FieldReader): JsonObject | undefined {
  const { json_schema, type } = reader.members(given, 'response_format');
  if (type === 'text') return undefined;
  if (type === 'json_object') return { type };
  if (type !== 'json_schema') throw reader.refusal('response_format.type', 'takes no such format');
  const at = 'response_format.json_schema';
  const { description, name, schema, strict } = reader.members(json_schema, at);
  return {
    type,
    name: textAt(name, `${at}.name`),
    ...(description === undefined ? {} : { description: textAt(description, `${at}.description`) }),
    schema: objectAt(schema, `${at}.schema`),
    ...(strict === undefined ? {} : { strict: flagAt(strict, `${at}.strict`) }),
  };
}

export const CHAT_TO_OPENAI_RESPONSES: Translation = {
  name: 'responses of a provider from completions',
  apply: convertChatToOpenAiResponses,
};

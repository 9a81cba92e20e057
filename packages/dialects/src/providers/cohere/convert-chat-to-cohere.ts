import type { JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { objectAt } from '../../translation/field-values.ts';
import type { TranslatedFor, TranslatedRequest, Translation } from '../../translation/translation.ts';
import { readMaxTokens, readStops } from '../shared/read-chat-limits.ts';
import { COHERE_FIELDS } from './cohere-fields.ts';
import { cohereModelTraits } from './cohere-model-traits.ts';
import { cohereSampling } from './cohere-sampling.ts';
import { cohereThinking } from './cohere-thinking.ts';
import { convertChatMessagesToCohere } from './convert-chat-messages-to-cohere.ts';
import { convertToolsToCohere } from './convert-tools-to-cohere.ts';

/** Source: https://docs.cohere.com/reference/chat, `stop_sequences`. */
const MAX_STOP_SEQUENCES = 5;

/** Returns the request without `model`. @throws GatewayError 400 for a field that Cohere cannot express */
export function convertChatToCohere(
  chat: JsonObject,
  { id, maxOutputTokens, upstreamModel }: TranslatedFor,
): TranslatedRequest {
  const reader = new FieldReader(id, COHERE_FIELDS);
  const request = reader.members(chat, '');
  if (request.stream_options !== undefined) reader.members(request.stream_options, 'stream_options');
  const traits = cohereModelTraits(upstreamModel);
  const maxTokens = readMaxTokens(request, maxOutputTokens);
  const messages = convertChatMessagesToCohere(request.messages, traits, reader);
  const tools = convertToolsToCohere(request, reader);
  const format = formatOf(request.response_format, tools.tools !== undefined, reader);
  const thinking = cohereThinking(request, { maxTokens: maxTokens, traits, reader });
  const stop = stopSequences(request.stop, reader);
  const translated = {
    ...(request.stream === true ? { stream: true } : {}),
    messages,
    ...tools,
    ...(format === undefined ? {} : { response_format: format }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...cohereSampling(request, reader),
  };
  return { request: translated, ignored: reader.ignored };
}

function stopSequences(stop: unknown, reader: FieldReader): string[] {
  const texts = readStops(stop);
  if (texts.length <= MAX_STOP_SEQUENCES) return texts;
  throw reader.refusal('stop', `stops at no more than ${MAX_STOP_SEQUENCES} texts`);
}

/** Source: https://docs.cohere.com/docs/structured-outputs, where tools beside a format are refused. */
function formatOf(given: unknown, hasTools: boolean, reader: FieldReader): JsonObject | undefined {
  if (given === undefined) return undefined;
  const { json_schema, type } = reader.members(given, 'response_format');
  if (type === 'text') return undefined;
  if (type !== 'json_schema' && type !== 'json_object') {
    throw reader.refusal('response_format.type', 'takes no such format');
  }
  if (hasTools) throw reader.refusal('response_format', 'takes no format of JSON beside tools');
  if (type === 'json_object') return { type };
  const at = 'response_format.json_schema';
  const schema = objectAt(reader.members(json_schema, at).schema, `${at}.schema`);
  return { type: 'json_object', json_schema: schema };
}

export const CHAT_TO_COHERE: Translation = {
  name: 'cohere chat from completions',
  apply: (request, model) => convertChatToCohere(request, model),
};

import type { Chat } from '../../../providers/chat.ts';
import { FieldReader } from '../../../translation/field-reader.ts';
import { numberAt, objectsAt, textsAt } from '../../../translation/field-values.ts';
import { isObject, type JsonObject } from '../../../translation/json-object.ts';
import { isOfObject, schemasIn } from '../../../translation/json-schema.ts';
import type { TranslatedRequest } from '../../../translation/translation.ts';
import { Conversation } from './conversation.ts';
import { REQUEST_FIELDS } from './fields.ts';
import { chosenTool, functionTools } from './tools.ts';

/** Chat Completions wants a name for every schema; Messages has none. */
const SCHEMA_NAME = 'answer';

/**
 * A request of Messages in the shape of Chat Completions.
 * @throws GatewayError 400 that names a field which cannot be expressed there
 */
export function completionsRequest(request: JsonObject, model: Chat['model']): TranslatedRequest {
  const reader = new FieldReader(model.id, REQUEST_FIELDS, ['cache_control']);
  const asked = reader.members(request, '');
  const tools = functionTools(reader, asked.tools);
  const translated = {
    model: asked.model,
    messages: messagesOf(reader, asked),
    ...lengthOf(asked.max_tokens, model),
    ...(asked.stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...numberGiven('temperature', asked),
    ...numberGiven('top_p', asked),
    ...given('stop', nonEmpty(textsAt(asked.stop_sequences ?? [], 'stop_sequences'))),
    ...given('tools', nonEmpty(tools)),
    ...chosenTool(reader, asked.tool_choice, tools.length > 0),
    ...given('response_format', answerFormat(reader, asked)),
  };
  return { request: translated, ignored: reader.ignored };
}

function messagesOf(reader: FieldReader, { messages, system }: JsonObject): JsonObject[] {
  const conversation = new Conversation(reader);
  if (system !== undefined) conversation.system(system, 'system');
  for (const [index, message] of objectsAt(messages, 'messages').entries())
    conversation.add(message, `messages[${index}]`);
  return conversation.end();
}

/**
 * The name that OpenAI's reasoning models insist on, and that most compatible servers know. Clients of
 * Messages ask for as much as Claude can write, which providers of other models refuse.
 */
function lengthOf(maxTokens: unknown, { maxOutputTokens }: Chat['model']): JsonObject {
  if (typeof maxTokens !== 'number') return {};
  return { max_completion_tokens: Math.min(maxTokens, maxOutputTokens ?? maxTokens) };
}

function answerFormat(reader: FieldReader, { output_config, output_format }: JsonObject): unknown {
  const config = output_config === undefined ? {} : reader.members(output_config, 'output_config');
  const at = config.format === undefined ? 'output_format' : 'output_config.format';
  const format = config.format ?? output_format;
  if (format === undefined) return undefined;
  if (config.format !== undefined && output_format !== undefined) reader.ignore('output_format');
  const { type, schema } = reader.members(format, at);
  if (type !== 'json_schema' || !isObject(schema))
    throw reader.refusal(`${at}.type`, 'writes no other format than `json_schema`');
  return { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema, strict: isStrict(schema) } };
}

/** Whether OpenAI's strict mode takes a schema: it knows neither optional members nor further ones. */
function isStrict(schema: JsonObject): boolean {
  const ofObjects = [...schemasIn(schema)].filter((one) => isOfObject(one) || isObject(one.properties));
  return ofObjects.every(isClosed);
}

function isClosed({ additionalProperties, properties, required }: JsonObject): boolean {
  if (additionalProperties !== false) return false;
  // A schema may have a hundred thousand of them.
  const isRequired = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.keys(isObject(properties) ? properties : {}).every((name) => isRequired.has(name));
}

function given(name: string, value: unknown): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

function numberGiven(name: string, asked: JsonObject): JsonObject {
  const value = asked[name];
  return value === undefined ? {} : { [name]: numberAt(value, name) };
}

/** Chat Completions refuses some lists that are empty; without them it does the same. */
function nonEmpty(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length === 0 ? undefined : list;
}

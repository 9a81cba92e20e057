import { toolNamesToShorten } from '@model-gateway/shared';
import type { Chat } from '../../interfaces/chat.ts';
import { given, isObject, type JsonObject, objectsIn } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { objectsAt, textsAt } from '../../translation/field-values.ts';
import { isOfObject, schemasIn } from '../../translation/json-schema.ts';
import type { TranslatedRequest } from '../../translation/translation.ts';
import { lengthOf, nonEmpty, numberGiven, SCHEMA_NAME, streamOf } from '../chat-request/chat-settings.ts';
import { tierFromCaller } from '../chat-request/tier-from-caller.ts';
import type { ToolNames } from '../chat-request/tool-names.ts';
import { chosenTool, functionTools, messagesToolNames } from './convert-messages-tools.ts';
import { MESSAGES_FIELDS } from './messages-fields.ts';
import { MessagesReader } from './messages-reader.ts';

/** @throws GatewayError 400 that names a field which Chat Completions cannot express */
export function convertMessagesToChat(request: JsonObject, model: Chat['model']): TranslatedRequest {
  const reader = new FieldReader(model.id, MESSAGES_FIELDS, ['cache_control']);
  const members = reader.members(request, '');
  const config =
    members.output_config === undefined ? {} : reader.members(members.output_config, 'output_config');
  const names = messagesToolNames(toolNamesToShorten(objectsIn(members.tools)));
  const tools = functionTools(reader, members.tools, names);
  const translated = {
    model: members.model,
    messages: messagesOf(reader, members, names),
    ...lengthOf(members.max_tokens, model),
    ...streamOf(members.stream),
    ...numberGiven('temperature', members),
    ...numberGiven('top_p', members),
    ...given('service_tier', tierFromCaller(members.service_tier)),
    ...given('stop', nonEmpty(textsAt(members.stop_sequences ?? [], 'stop_sequences'))),
    ...given('tools', nonEmpty(tools)),
    ...chosenTool(reader, members.tool_choice, { hasTools: tools.length > 0, names }),
    ...given('response_format', answerFormat(reader, config.format, members.output_format)),
  };
  const extra = {
    ...given('thinking', members.thinking),
    ...given('reasoning_effort', config.effort),
    ...given('top_k', members.top_k),
  };
  return { request: translated, ignored: reader.ignored, extra, callersPath };
}

/** Names of fields of Chat Completions in Messages. */
const CALLERS_NAMES = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['messages[].reasoning_content', 'messages[].content[].thinking'],
  ['messages[].reasoning_details', 'messages[].content[].thinking'],
  ['reasoning_effort', 'output_config.effort'],
  ['response_format.json_schema.schema', 'output_config.format.schema'],
  ['stop', 'stop_sequences'],
  ['tools[].function.parameters', 'tools[].input_schema'],
]);

function callersPath(path: string): string {
  const named = CALLERS_NAMES.get(path);
  return named ?? path.replace(/^(tools\[\d+\])\.function\./, '$1.');
}

function messagesOf(reader: FieldReader, { messages, system }: JsonObject, names: ToolNames): JsonObject[] {
  const conversation = new MessagesReader(reader, names);
  if (system !== undefined) conversation.system(system, 'system');
  for (const [index, message] of objectsAt(messages, 'messages').entries())
    conversation.add(message, `messages[${index}]`);
  return conversation.end();
}

/** @param older the member `output_format` of the older API */
function answerFormat(reader: FieldReader, present: unknown, older: unknown): unknown {
  const at = present === undefined ? 'output_format' : 'output_config.format';
  const format = present ?? older;
  if (format === undefined) return undefined;
  if (present !== undefined && older !== undefined) reader.ignore('output_format');
  const { type, schema } = reader.members(format, at);
  if (type !== 'json_schema' || !isObject(schema))
    throw reader.refusal(`${at}.type`, 'writes no other format than `json_schema`');
  return { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema, strict: isStrict(schema) } };
}

/**
 * Returns true for schemas of OpenAI's strict mode, which has no optional and no further members, and no
 * `oneOf`: "'oneOf' is not permitted" (https://github.com/openai/openai-agents-python/issues/474).
 */
function isStrict(schema: JsonObject): boolean {
  const all = [...schemasIn(schema)];
  if (all.some(({ oneOf }) => Array.isArray(oneOf))) return false;
  return all.filter((one) => isOfObject(one) || isObject(one.properties)).every(isClosed);
}

function isClosed({ additionalProperties, properties, required }: JsonObject): boolean {
  if (additionalProperties !== false) return false;
  // A schema may have a hundred thousand of them.
  const isRequired = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.keys(isObject(properties) ? properties : {}).every((name) => isRequired.has(name));
}

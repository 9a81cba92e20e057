import { given, type JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, listAt, numberAt, objectAt, textAt } from '../../translation/field-values.ts';
import type { TranslatedFor, TranslatedRequest } from '../../translation/translation.ts';
import { lengthOf, numberGiven, SCHEMA_NAME, streamOf } from '../chat-request/chat-settings.ts';
import { Origins } from '../chat-request/origins.ts';
import { tierFromCaller } from '../chat-request/tier-from-caller.ts';
import { convertResponsesItems } from './convert-responses-items.ts';
import { offeredTools, toolNames } from './convert-responses-tools.ts';
import { callersPath } from './responses-callers-path.ts';
import { RESPONSES_FIELDS } from './responses-fields.ts';
import { ResponsesToolChoice } from './responses-tool-choice.ts';

/** @throws GatewayError 400 that names a field which Chat Completions cannot express */
export function convertResponsesToChat(
  request: JsonObject,
  model: Omit<TranslatedFor, 'upstreamModel'>,
): TranslatedRequest {
  const { id, takesMediaInResults } = model;
  const reader = new FieldReader(id, RESPONSES_FIELDS);
  const members = reader.members(request, '');
  if (members.stream_options !== undefined) reader.members(members.stream_options, 'stream_options');
  if (members.parallel_tool_calls !== undefined) flagAt(members.parallel_tool_calls, 'parallel_tool_calls');
  checkInclude(reader, members.include);
  const names = toolNames(members);
  const origins = new Origins();
  const offered = offeredTools(reader, members, names, origins);
  const translated = {
    model: members.model,
    messages: convertResponsesItems(reader, members, { names, origins, takesMediaInResults }),
    ...lengthOf(numberIn(members, 'max_output_tokens'), model),
    ...streamOf(members.stream),
    ...numberGiven('temperature', members),
    ...numberGiven('top_p', members),
    ...penalty('frequency_penalty', members),
    ...penalty('presence_penalty', members),
    ...new ResponsesToolChoice(reader, offered, names).members(members),
    ...textSettings(reader, members.text),
    ...given('service_tier', tierFromCaller(members.service_tier)),
    ...given('reasoning_effort', effortOf(reader, members.reasoning)),
  };
  return {
    request: translated,
    ignored: reader.ignored,
    extra: given('prompt_cache_key', members.prompt_cache_key),
    callersPath: (path) => callersPath(path, origins.of(translated, path)),
  };
}

function numberIn(members: JsonObject, name: string): number | undefined {
  return members[name] === undefined ? undefined : numberAt(members[name], name);
}

/** Leaves out 0: many providers refuse penalties, and clients send the default. */
function penalty(name: string, members: JsonObject): JsonObject {
  return given(name, numberIn(members, name) || undefined);
}

/** Applies the rule of each value of `include`. */
function checkInclude(reader: FieldReader, include: unknown): void {
  for (const [index, entry] of listAt(include ?? [], 'include').entries()) {
    const path = `include[${index}]`;
    const name = `include[${textAt(entry, path)}]`;
    const rule = reader.rule(name);
    if (rule?.fate === 'refused') throw reader.refusal(path, rule.note);
    if (rule?.fate !== 'carried') reader.ignore(name);
  }
}

const DEFAULT_VERBOSITY = 'medium';

function textSettings(reader: FieldReader, text: unknown): JsonObject {
  if (text === undefined) return {};
  const { format, verbosity } = reader.members(text, 'text');
  const length = verbosity === undefined ? DEFAULT_VERBOSITY : textAt(verbosity, 'text.verbosity');
  return {
    ...given('response_format', format === undefined ? undefined : answerFormat(reader, format)),
    ...(length === DEFAULT_VERBOSITY ? {} : { verbosity: length }),
  };
}

function answerFormat(reader: FieldReader, format: unknown): JsonObject | undefined {
  const path = 'text.format';
  const { description, name, schema, strict, type } = reader.members(format, path);
  if (type === 'text') return undefined;
  if (type === 'json_object') return { type };
  if (type !== 'json_schema')
    throw reader.refusal(`${path}.type`, 'writes `text`, `json_object` and `json_schema` alone');
  const described = description === undefined ? undefined : textAt(description, `${path}.description`);
  return {
    type,
    json_schema: {
      name: name === undefined ? SCHEMA_NAME : textAt(name, `${path}.name`),
      ...given('description', described),
      schema: objectAt(schema, `${path}.schema`),
      ...given('strict', strict === undefined ? undefined : flagAt(strict, `${path}.strict`)),
    },
  };
}

function effortOf(reader: FieldReader, reasoning: unknown): string | undefined {
  if (reasoning === undefined) return undefined;
  const { effort } = reader.members(reasoning, 'reasoning');
  return effort === undefined ? undefined : textAt(effort, 'reasoning.effort');
}

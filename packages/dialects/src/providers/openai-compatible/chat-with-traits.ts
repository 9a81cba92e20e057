import { isDeepStrictEqual } from 'node:util';
import {
  CALLS_WITH_EXTRA_CONTENT,
  CALLS_WITHOUT_REASONING,
  DEVELOPER_ROLE,
  isInstruction,
  LATER_SYSTEM,
  ONLY_OPENAI_MESSAGE_MEMBERS,
  ONLY_OPENAI_REQUEST_MEMBERS,
  type ProviderTraits,
  presetTraits,
} from '@model-gateway/shared';
import { given, isObject, type JsonObject, nonEmptyText } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { withoutKeywords } from '../../translation/json-schema.ts';
import type { TranslatedFor, TranslatedRequest, Translation } from '../../translation/translation.ts';
import { strictMessage, strictRequest } from './strict-members.ts';

const PREFIX = 'chat with traits ';

/** Changes a request of Chat Completions for a server that differs from OpenAI's API. */
export function chatWithTraits(traits: ProviderTraits): Translation {
  return {
    name: PREFIX + JSON.stringify(traits),
    omitsExtra: true,
    apply: (request, model) => applyTraits(request, traits, model),
  };
}

/** Returns false for traits that change no request. */
export function hasRequestTraits(traits: ProviderTraits): boolean {
  const { cached_tokens_at, done_marker, usage_at } = traits;
  const generic = { ...presetTraits('generic'), cached_tokens_at, done_marker, usage_at };
  return !isDeepStrictEqual(traits, generic);
}

/** Returns the members for which a chat request has to be changed, as `membersSomeRefuse` names them. */
export function membersToChange(traits: ProviderTraits): ReadonlySet<string> {
  const inMessages = [
    ...(traits.strict ? ONLY_OPENAI_MESSAGE_MEMBERS : []),
    ...(traits.reasoning_back === 'reasoning_details' ? [] : REASONING_MEMBERS),
  ];
  return new Set([
    ...inMessages.map((name) => `messages[].${name}`),
    ...(traits.strict ? ONLY_OPENAI_REQUEST_MEMBERS : []),
    ...(traits.developer_role ? [] : [DEVELOPER_ROLE]),
    ...(traits.reasoning_back === 'reasoning_details' ? [] : [CALLS_WITH_EXTRA_CONTENT]),
    ...(traits.system_first ? [LATER_SYSTEM] : []),
    ...(traits.reasoning_required ? [CALLS_WITHOUT_REASONING] : []),
    ...(traits.output_limit === 'max_tokens' ? ['max_completion_tokens'] : []),
    ...(traits.store ? [] : ['store']),
    ...(traits.stream_usage ? [] : ['stream_options']),
  ]);
}

const REASONING_MEMBERS = ['reasoning', 'reasoning_content', 'reasoning_details'];

/** @returns undefined for the name of any other translation */
export function chatWithTraitsNamed(name: string): Translation | undefined {
  return name.startsWith(PREFIX) ? chatWithTraits(JSON.parse(name.slice(PREFIX.length))) : undefined;
}

function applyTraits(request: JsonObject, traits: ProviderTraits, model: TranslatedFor): TranslatedRequest {
  const reader = new FieldReader(model.id, {});
  const { max_completion_tokens, max_tokens, messages, store, stream_options, ...others } = traits.strict
    ? strictRequest(request, reader)
    : request;
  const limits =
    traits.output_limit === 'max_tokens'
      ? given('max_tokens', max_completion_tokens ?? max_tokens)
      : { ...given('max_tokens', max_tokens), ...given('max_completion_tokens', max_completion_tokens) };
  checkStops(others.stop, traits.stop_max, reader);
  checkToolNames(others.tools, traits.tool_name_max, reader);
  if (store !== undefined && !traits.store) reader.ignore('store');
  return {
    request: {
      ...others,
      ...schemasWithout(traits.schema_keywords, others, reader),
      messages: Array.isArray(messages) ? messagesFor(messages, traits, reader) : messages,
      ...limits,
      ...(traits.store ? given('store', store) : {}),
      ...(traits.stream_usage ? streamOptions(others.stream, stream_options) : {}),
    },
    ignored: reader.ignored,
  };
}

/** Always requests the usage of a stream: the gateway bills by it. */
function streamOptions(stream: unknown, options: unknown): JsonObject {
  if (stream !== true) return given('stream_options', options);
  return { stream_options: { ...(isObject(options) ? options : {}), include_usage: true } };
}

/** Refuses too many sequences: with fewer, the output would end elsewhere. */
function checkStops(stop: unknown, max: number, reader: FieldReader): void {
  if (Array.isArray(stop) && stop.length > max)
    throw reader.refusal('stop', `takes at most ${max} stop sequences`);
}

function checkToolNames(tools: unknown, max: number, reader: FieldReader): void {
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    const { name } = isObject(tool) && isObject(tool.function) ? tool.function : {};
    if (typeof name === 'string' && name.length > max)
      throw reader.refusal(`tools[${index}].function.name`, `takes names of at most ${max} characters`);
  }
}

/** Returns the members with schemas, without keywords that the server refuses. */
function schemasWithout(
  keywords: readonly string[],
  { response_format: format, tools }: JsonObject,
  reader: FieldReader,
): JsonObject {
  if (keywords.length === 0) return {};
  const refused = new Set(keywords);
  const cleaned = (holder: unknown, member: string, path: string): unknown => {
    if (!isObject(holder)) return holder;
    const schema = withoutKeywords(holder[member], refused);
    if (schema === holder[member]) return holder;
    reader.ignore(`${path}.${member}`);
    return { ...holder, [member]: schema };
  };
  const path = 'response_format.json_schema';
  return {
    ...(isObject(format)
      ? { response_format: { ...format, json_schema: cleaned(format.json_schema, 'schema', path) } }
      : {}),
    ...(Array.isArray(tools)
      ? {
          tools: tools.map((tool) =>
            isObject(tool)
              ? { ...tool, function: cleaned(tool.function, 'parameters', 'tools[].function') }
              : tool,
          ),
        }
      : {}),
  };
}

function messagesFor(messages: readonly unknown[], traits: ProviderTraits, reader: FieldReader): unknown[] {
  const changed = messages.map((one) => messageFor(one, traits, reader));
  return traits.system_first ? withSystemFirst(changed) : changed;
}

/** Merges all system messages into one at the beginning: templates refuse any other. */
function withSystemFirst(messages: readonly unknown[]): unknown[] {
  const system = messages.filter((one) => isObject(one)).filter(isInstruction);
  const [first] = system;
  if (first === undefined) return [...messages];
  const texts = system.map(({ content }) => content).filter((content) => typeof content === 'string');
  const content =
    texts.length === system.length ? texts.join('\n\n') : system.flatMap((one) => partsOf(one.content));
  return [{ ...first, content }, ...messages.filter((one) => !(isObject(one) && isInstruction(one)))];
}

function messageFor(message: unknown, traits: ProviderTraits, reader: FieldReader): unknown {
  if (!isObject(message)) return message;
  const known = traits.strict ? strictMessage(message, reader) : message;
  if (known.role === 'developer' && !traits.developer_role) return { ...known, role: 'system' };
  if (known.role !== 'assistant') return known;
  const assistant = withReasoning(known, traits.reasoning_back, reader);
  return traits.reasoning_required ? withSomeReasoning(assistant) : assistant;
}

/** Adds a space as reasoning to calls without: of another model, or of a caller that does not keep it. */
function withSomeReasoning(message: JsonObject): JsonObject {
  const { reasoning_content, tool_calls } = message;
  if (nonEmptyText(reasoning_content) !== undefined || !Array.isArray(tool_calls)) return message;
  // Moonshot and DeepSeek refuse an empty text: llmgateway#2093, hermes-agent#18263.
  return { ...message, reasoning_content: ' ' };
}

/** Converts the reasoning of an earlier turn to the form in which the server takes it back. */
function withReasoning(
  message: JsonObject,
  form: ProviderTraits['reasoning_back'],
  reader: FieldReader,
): JsonObject {
  if (form === 'reasoning_details') return message;
  const { reasoning, reasoning_content, reasoning_details, ...others } = withoutExtraContent(message, reader);
  const text = nonEmptyText(reasoning_content) ?? nonEmptyText(reasoning);
  const isSigned = Array.isArray(reasoning_details) && reasoning_details.length > 0;
  if (isSigned) reader.ignore('messages[].reasoning_details');
  if (text === undefined) return others;
  if (form === 'reasoning' || form === 'reasoning_content') return { ...others, [form]: text };
  // A signature shows that the text comes from another provider's model.
  if (form === 'none' || isSigned) {
    reader.ignore('messages[].reasoning_content');
    return others;
  }
  const thought = { type: 'thinking', thinking: [{ type: 'text', text }] };
  return { ...others, content: [thought, ...partsOf(others.content)] };
}

/** Removes a Gemini model's thought signatures, which Mistral and Fireworks refuse: hermes-agent#18663. */
function withoutExtraContent(message: JsonObject, reader: FieldReader): JsonObject {
  const { tool_calls } = message;
  if (!Array.isArray(tool_calls)) return message;
  const calls = tool_calls.map((call: unknown) => {
    if (!isObject(call) || call.extra_content === undefined) return call;
    reader.ignore(CALLS_WITH_EXTRA_CONTENT);
    const { extra_content: _, ...others } = call;
    return others;
  });
  return { ...message, tool_calls: calls };
}

function partsOf(content: unknown): unknown[] {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}

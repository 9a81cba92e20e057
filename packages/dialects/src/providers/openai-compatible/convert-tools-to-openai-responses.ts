import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, listAt, objectAt, textAt } from '../../translation/field-values.ts';

export function convertToolsToOpenAiResponses(request: JsonObject, reader: FieldReader): JsonObject {
  const tools = listAt(request.tools ?? [], 'tools').map((tool, index) =>
    toolOf(tool, `tools[${index}]`, reader),
  );
  if (request.web_search_options !== undefined) tools.push(searchOf(request.web_search_options, reader));
  if (tools.length === 0) return {};
  const { parallel_tool_calls: parallel, tool_choice: choice } = request;
  return {
    tools,
    ...(choice === undefined ? {} : { tool_choice: choiceOf(choice, reader) }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: flagAt(parallel, 'parallel_tool_calls') }),
  };
}

function toolOf(given: unknown, path: string, reader: FieldReader): JsonObject {
  const tool = reader.members(given, path);
  if (tool.type === 'custom') return customTool(tool.custom, `${path}.custom`, reader);
  if (tool.type !== undefined && tool.type !== 'function')
    throw reader.refusal(`${path}.type`, 'takes functions and custom tools only');
  const at = `${path}.function`;
  const { description, name, parameters, strict } = reader.members(tool.function, at);
  return {
    type: 'function',
    name: textAt(name, `${at}.name`),
    ...described(description, at),
    parameters:
      parameters === undefined
        ? { type: 'object', properties: {} }
        : objectAt(parameters, `${at}.parameters`),
    // The default is true in Responses and false in Chat Completions.
    strict: strict === undefined ? false : flagAt(strict, `${at}.strict`),
  };
}

function customTool(given: unknown, at: string, reader: FieldReader): JsonObject {
  const { description, format, name } = reader.members(given, at);
  return {
    type: 'custom',
    name: textAt(name, `${at}.name`),
    ...described(description, at),
    ...(format === undefined ? {} : { format: inputFormat(format, `${at}.format`, reader) }),
  };
}

function inputFormat(given: unknown, at: string, reader: FieldReader): JsonObject {
  const { grammar, type } = reader.members(given, at);
  if (type !== 'grammar') return { type: 'text' };
  const { definition, syntax } = reader.members(grammar, `${at}.grammar`);
  return { type, syntax, definition };
}

function described(description: unknown, at: string): JsonObject {
  return description === undefined ? {} : { description: textAt(description, `${at}.description`) };
}

function searchOf(given: unknown, reader: FieldReader): JsonObject {
  const at = 'web_search_options';
  const { search_context_size, user_location } = reader.members(given, at);
  const place =
    user_location === undefined ? undefined : reader.members(user_location, `${at}.user_location`);
  return {
    type: 'web_search',
    ...(search_context_size === undefined ? {} : { search_context_size }),
    ...(place === undefined
      ? {}
      : {
          user_location: {
            type: 'approximate',
            ...objectAt(place.approximate, `${at}.user_location.approximate`),
          },
        }),
  };
}

function choiceOf(given: unknown, reader: FieldReader): unknown {
  if (typeof given === 'string') return given;
  const choice = reader.members(given, 'tool_choice');
  if (choice.type !== 'allowed_tools') return namedTool(choice, 'tool_choice', reader);
  const at = 'tool_choice.allowed_tools';
  const { mode, tools } = reader.members(choice.allowed_tools, at);
  return {
    type: 'allowed_tools',
    mode: mode ?? 'auto',
    tools: listAt(tools ?? [], `${at}.tools`).map((tool, index) => {
      const path = `${at}.tools[${index}]`;
      return namedTool(reader.members(tool, path), path, reader);
    }),
  };
}

function namedTool(choice: JsonObject, path: string, reader: FieldReader): JsonObject {
  const { type } = choice;
  if (type !== 'function' && type !== 'custom')
    throw reader.refusal(`${path}.type`, 'takes no such choice of tools');
  const { name } = reader.members(choice[type], `${path}.${type}`);
  return { type, name: textAt(name, `${path}.${type}.name`) };
}

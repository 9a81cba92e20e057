import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, listAt, objectAt, textAt } from '../../translation/field-values.ts';

export interface CohereTools {
  tools?: JsonObject[];
  tool_choice?: 'REQUIRED' | 'NONE';
  strict_tools?: true;
}

/**
 * The tools of a request, and how the model may choose among them. Cohere cannot be told to call one tool of
 * several: then that one is all it is offered.
 * @param request its carried members
 */
export function convertToolsToCohere(request: JsonObject, reader: FieldReader): CohereTools {
  const declared = listAt(request.tools ?? [], 'tools').map((tool, index) =>
    toolOf(tool, `tools[${index}]`, reader),
  );
  const { allowed, mode } = choiceOf(request.tool_choice, reader);
  const offered = allowed === undefined ? declared : declared.filter(({ name }) => allowed.has(name));
  if (offered.length === 0) {
    if (mode !== 'REQUIRED') return {};
    throw reader.refusal('tool_choice', 'is given no tools to choose from');
  }
  const isStrict = strictTools(offered, reader);
  return {
    tools: offered.map(({ tool }) => tool),
    ...(mode === undefined ? {} : { tool_choice: mode }),
    ...(isStrict ? { strict_tools: true } : {}),
  };
}

interface Declared {
  name: string;
  tool: JsonObject;
  isStrict: boolean;
  hasRequired: boolean;
}

function toolOf(given: unknown, path: string, reader: FieldReader): Declared {
  const declared = reader.members(functionTool(given, path, reader).function, `${path}.function`);
  const at = `${path}.function`;
  const name = textAt(declared.name, `${at}.name`);
  const { description, parameters, strict } = declared;
  const schema = parameters === undefined ? {} : objectAt(parameters, `${at}.parameters`);
  const tool = {
    type: 'function',
    function: {
      name,
      ...(description === undefined ? {} : { description: textAt(description, `${at}.description`) }),
      // Cohere requires a schema of an object; a function without parameters may have none.
      parameters: 'type' in schema ? schema : { type: 'object', properties: {}, ...schema },
    },
  };
  return {
    name,
    tool,
    isStrict: flagAt(strict ?? false, `${at}.strict`),
    hasRequired: Array.isArray(schema.required) && schema.required.length > 0,
  };
}

/** Cohere is strict with all tools or with none, and then each must have a parameter that is required. */
function strictTools(tools: readonly Declared[], reader: FieldReader): boolean {
  if (tools.every(({ hasRequired, isStrict }) => isStrict && hasRequired)) return true;
  if (tools.some(({ isStrict }) => isStrict)) reader.ignore('tools[].function.strict');
  return false;
}

function functionTool(given: unknown, path: string, reader: FieldReader): JsonObject {
  const tool = reader.members(given, path);
  if (tool.type === undefined || tool.type === 'function') return tool;
  throw reader.refusal(`${path}.type`, 'takes functions as tools only');
}

interface Choice {
  /** undefined: the model decides. */
  mode: CohereTools['tool_choice'];
  /** The names of the tools that may be called; undefined: all. */
  allowed?: ReadonlySet<string>;
}

const MODES: ReadonlyMap<unknown, Choice['mode']> = new Map([
  ['auto', undefined],
  ['none', 'NONE'],
  ['required', 'REQUIRED'],
]);

function choiceOf(given: unknown, reader: FieldReader): Choice {
  if (given === undefined) return { mode: undefined };
  if (typeof given === 'string') return { mode: modeOf(given, 'tool_choice', reader) };
  const choice = reader.members(given, 'tool_choice');
  if (choice.type === 'function') {
    return { mode: 'REQUIRED', allowed: new Set([nameOf(choice.function, 'tool_choice.function', reader)]) };
  }
  if (choice.type !== 'allowed_tools')
    throw reader.refusal('tool_choice.type', 'takes no such choice of tools');
  const at = 'tool_choice.allowed_tools';
  const { mode, tools } = reader.members(choice.allowed_tools, at);
  const names = listAt(tools ?? [], `${at}.tools`).map((tool, index) => {
    const path = `${at}.tools[${index}]`;
    return nameOf(functionTool(tool, path, reader).function, `${path}.function`, reader);
  });
  return { mode: modeOf(mode ?? 'auto', `${at}.mode`, reader), allowed: new Set(names) };
}

function modeOf(mode: unknown, path: string, reader: FieldReader): Choice['mode'] {
  if (MODES.has(mode)) return MODES.get(mode);
  throw reader.refusal(path, 'takes no such choice of tools');
}

function nameOf(given: unknown, path: string, reader: FieldReader): string {
  return textAt(reader.members(given, path).name, `${path}.name`);
}

import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, objectAt, textAt } from '../../translation/field-values.ts';
import { readAllowedTools, readToolMode, readToolName, readTools } from '../shared/read-chat-tools.ts';

export interface CohereTools {
  tools?: JsonObject[];
  tool_choice?: 'REQUIRED' | 'NONE';
  strict_tools?: true;
}

/** Offers only the chosen tool, because Cohere cannot be told to call one of several. */
export function convertToolsToCohere(request: JsonObject, reader: FieldReader): CohereTools {
  const declared = readTools(request, reader, (given, path) => toolOf(given, path, reader));
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

function toolOf(given: unknown, at: string, reader: FieldReader): Declared {
  const { description, name: named, parameters, strict } = reader.members(given, at);
  const name = textAt(named, `${at}.name`);
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

/** Cohere is strict with all tools or none, and only if each has a required parameter. */
function strictTools(tools: readonly Declared[], reader: FieldReader): boolean {
  if (tools.every(({ hasRequired, isStrict }) => isStrict && hasRequired)) return true;
  if (tools.some(({ isStrict }) => isStrict)) reader.ignore('tools[].function.strict');
  return false;
}

interface Choice {
  /** undefined: the model decides. */
  mode: CohereTools['tool_choice'];
  /** The names of the tools that may be called; undefined: all. */
  allowed?: ReadonlySet<unknown>;
}

const MODES = { auto: undefined, none: 'NONE', required: 'REQUIRED' } as const;

function choiceOf(given: unknown, reader: FieldReader): Choice {
  if (given === undefined) return { mode: undefined };
  if (typeof given === 'string') return { mode: MODES[readToolMode(given, 'tool_choice', reader)] };
  const choice = reader.members(given, 'tool_choice');
  if (choice.type === 'function') {
    const name = readToolName(choice.function, 'tool_choice.function', reader);
    return { mode: 'REQUIRED', allowed: new Set([name]) };
  }
  const { allowed, mode } = readAllowedTools(choice, 'tool_choice', reader);
  return { mode: MODES[readToolMode(mode, 'tool_choice.allowed_tools.mode', reader)], allowed };
}

import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, listAt, objectAt, textAt } from '../../translation/field-values.ts';
import { convertSchemaToGemini } from './convert-schema-to-gemini.ts';

export interface GeminiTools {
  /** Function declarations. */
  tools: JsonObject[];
  /** undefined: the model decides. */
  config: JsonObject | undefined;
}

interface Declared {
  declaration: JsonObject;
  isStrict: boolean;
}

/**
 * The tools of a request, in the present and in the old form, and how the model may choose among them.
 * @param request its carried members
 */
export function convertToolsToGemini(request: JsonObject, reader: FieldReader): GeminiTools {
  const declared = [
    ...listAt(request.tools ?? [], 'tools').map((tool, index) => {
      const at = `tools[${index}]`;
      return declaredAt(functionTool(tool, at, reader).function, `${at}.function`, reader);
    }),
    ...listAt(request.functions ?? [], 'functions').map((given, index) =>
      declaredAt(given, `functions[${index}]`, reader),
    ),
  ];
  const names = new Set(declared.map(({ declaration }) => declaration.name));
  const { allowed, config } = choiceOf(request, names, reader);
  const offered =
    allowed === undefined ? declared : declared.filter(({ declaration }) => allowed.has(declaration.name));
  if (offered.length === 0) {
    if (config?.mode === 'ANY') throw reader.refusal('tool_choice', 'is given no tools to choose from');
    return { tools: [], config: undefined };
  }
  // In this mode the model keeps to the schemas.
  const isValidated = config === undefined && offered.some(({ isStrict }) => isStrict);
  return {
    tools: offered.map(({ declaration }) => declaration),
    config: isValidated ? { mode: 'VALIDATED' } : config,
  };
}

function declaredAt(given: unknown, path: string, reader: FieldReader): Declared {
  const { description, name, parameters, strict } = reader.members(given, path);
  const at = `${path}.parameters`;
  const schema =
    parameters === undefined ? undefined : convertSchemaToGemini(objectAt(parameters, at), at, reader);
  return {
    declaration: {
      name: textAt(name, `${path}.name`),
      ...(description === undefined ? {} : { description: textAt(description, `${path}.description`) }),
      ...(schema === undefined || Object.keys(schema).length === 0
        ? {}
        : { parametersJsonSchema: ofObject(schema) }),
    },
    isStrict: flagAt(strict ?? false, `${path}.strict`),
  };
}

function ofObject(schema: JsonObject): JsonObject {
  return 'type' in schema ? schema : { type: 'object', ...schema };
}

/** The members of a tool, declared or allowed. */
function functionTool(given: unknown, path: string, reader: FieldReader): JsonObject {
  const tool = reader.members(given, path);
  if (tool.type === undefined || tool.type === 'function') return tool;
  throw reader.refusal(`${path}.type`, 'takes functions as tools only');
}

interface Choice {
  /** undefined: the model decides. */
  config: JsonObject | undefined;
  /** The names of the tools that may be called; undefined: all. */
  allowed?: Set<unknown>;
}

const MODES: Readonly<Record<string, string>> = { none: 'NONE', required: 'ANY' };

function choiceOf(
  { tool_choice, function_call }: JsonObject,
  names: ReadonlySet<unknown>,
  reader: FieldReader,
): Choice {
  const path = tool_choice === undefined ? 'function_call' : 'tool_choice';
  if (tool_choice !== undefined && function_call !== undefined) reader.ignore('function_call');
  const given = tool_choice ?? function_call;
  if (given === undefined) return { config: undefined };
  if (names.size === 0) {
    if (given === 'auto' || given === 'none') return { config: undefined };
    throw reader.refusal(path, 'is given no tools to choose from');
  }
  if (typeof given === 'string') return { config: modeOf(given, path, reader) };
  if (path === 'function_call') return { config: named(given, path, names, reader) };
  const choice = reader.members(given, path);
  if (choice.type === 'function')
    return { config: named(choice.function, `${path}.function`, names, reader) };
  if (choice.type === 'allowed_tools')
    return allowedOf(choice.allowed_tools, `${path}.allowed_tools`, reader);
  throw reader.refusal(`${path}.type`, 'takes no such choice of tools');
}

function modeOf(mode: string, path: string, reader: FieldReader): JsonObject | undefined {
  if (mode === 'auto') return undefined;
  const ours = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (ours === undefined) throw reader.refusal(path, 'takes no such choice of tools');
  return { mode: ours };
}

function named(given: unknown, path: string, names: ReadonlySet<unknown>, reader: FieldReader): JsonObject {
  const name = textAt(reader.members(given, path).name, `${path}.name`);
  if (!names.has(name)) throw reader.refusal(`${path}.name`, 'is given no tool of this name');
  return { mode: 'ANY', allowedFunctionNames: [name] };
}

function allowedOf(given: unknown, path: string, reader: FieldReader): Choice {
  const { mode, tools } = reader.members(given, path);
  const allowed = listAt(tools ?? [], `${path}.tools`).map((tool, index) => {
    const at = `${path}.tools[${index}]`;
    const { name } = reader.members(functionTool(tool, at, reader).function, `${at}.function`);
    return textAt(name, `${at}.function.name`);
  });
  return {
    config: modeOf(textAt(mode ?? 'auto', `${path}.mode`), `${path}.mode`, reader),
    allowed: new Set(allowed),
  };
}

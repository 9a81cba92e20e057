import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { listAt, textAt } from '../../translation/field-values.ts';

/**
 * Reads the functions of a request, in the present form and in the old one.
 * @param declare converts a function
 */
export function readTools<Tool>(
  { functions, tools }: JsonObject,
  reader: FieldReader,
  declare: (given: unknown, path: string, cacheControl?: unknown) => Tool,
): Tool[] {
  return [
    ...listAt(tools ?? [], 'tools').map((tool, index) => {
      const path = `tools[${index}]`;
      const { cache_control, function: declared } = readFunctionTool(tool, path, reader);
      return declare(declared, `${path}.function`, cache_control);
    }),
    ...listAt(functions ?? [], 'functions').map((declared, index) =>
      declare(declared, `functions[${index}]`),
    ),
  ];
}

/** Returns the members of a tool, declared or allowed. */
function readFunctionTool(given: unknown, path: string, reader: FieldReader): JsonObject {
  const tool = reader.members(given, path);
  if (tool.type === undefined || tool.type === 'function') return tool;
  throw reader.refusal(`${path}.type`, 'takes functions as tools only');
}

type ToolMode = 'auto' | 'none' | 'required';

const MODES: ReadonlySet<unknown> = new Set<ToolMode>(['auto', 'none', 'required']);

/** How the model may choose among its tools; `{}`: it decides. */
export interface ToolChoice {
  mode?: ToolMode;
  /** The tool that it must call. */
  name?: string;
  /** The tools that it may call; undefined: all. */
  allowed?: ReadonlySet<unknown>;
}

/** @param names of the declared tools */
export function readToolChoice(
  { function_call, tool_choice }: JsonObject,
  names: ReadonlySet<unknown>,
  reader: FieldReader,
): ToolChoice {
  const path = tool_choice === undefined ? 'function_call' : 'tool_choice';
  if (tool_choice !== undefined && function_call !== undefined) reader.ignore('function_call');
  const given = tool_choice ?? function_call;
  if (given === undefined) return {};
  if (names.size === 0) {
    if (given === 'auto' || given === 'none') return {};
    throw reader.refusal(path, 'is given no tools to choose from');
  }
  const known = (named: unknown, at: string) => {
    const name = readToolName(named, at, reader);
    if (names.has(name)) return { name };
    throw reader.refusal(`${at}.name`, 'is given no tool of this name');
  };
  if (typeof given === 'string') return { mode: readToolMode(given, path, reader) };
  if (path === 'function_call') return known(given, path);
  const choice = reader.members(given, path);
  if (choice.type === 'function') return known(choice.function, `${path}.function`);
  const { allowed, mode } = readAllowedTools(choice, path, reader);
  const modePath = `${path}.allowed_tools.mode`;
  return { mode: readToolMode(textAt(mode, modePath), modePath, reader), allowed };
}

/** @param choice an object that names no function */
export function readAllowedTools(
  choice: JsonObject,
  path: string,
  reader: FieldReader,
): { allowed: Set<unknown>; mode: unknown } {
  if (choice.type !== 'allowed_tools') throw reader.refusal(`${path}.type`, 'takes no such choice of tools');
  const at = `${path}.allowed_tools`;
  const { mode = 'auto', tools } = reader.members(choice.allowed_tools, at);
  const names = listAt(tools ?? [], `${at}.tools`).map((tool, index) => {
    const place = `${at}.tools[${index}]`;
    return readToolName(readFunctionTool(tool, place, reader).function, `${place}.function`, reader);
  });
  return { allowed: new Set(names), mode };
}

export function readToolMode(mode: unknown, path: string, reader: FieldReader): ToolMode {
  if (isToolMode(mode)) return mode;
  throw reader.refusal(path, 'takes no such choice of tools');
}

function isToolMode(mode: unknown): mode is ToolMode {
  return MODES.has(mode);
}

export function readToolName(given: unknown, path: string, reader: FieldReader): string {
  return textAt(reader.members(given, path).name, `${path}.name`);
}

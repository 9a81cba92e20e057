import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, listAt, objectAt, textAt } from '../../translation/field-values.ts';
import type { AnthropicModelTraits } from './anthropic-model-traits.ts';
import { anthropicInputSchema, anthropicSchema } from './anthropic-schema.ts';
import { cached } from './convert-content-to-anthropic.ts';

export interface AnthropicTools {
  tools: JsonObject[];
  choice: JsonObject | undefined;
  /** True if an answer must call one. */
  areForced: boolean;
}

/**
 * The tools of a request, in the present and in the old form, and how the model may choose among them.
 * @param request its carried members
 */
export function convertToolsToAnthropic(
  request: JsonObject,
  traits: AnthropicModelTraits,
  reader: FieldReader,
): AnthropicTools {
  const declare = new ToolDeclarations(traits, reader);
  const tools = [
    ...listAt(request.tools ?? [], 'tools').map((tool, index) => declare.tool(tool, `tools[${index}]`)),
    ...listAt(request.functions ?? [], 'functions').map((declared, index) =>
      declare.function(declared, `functions[${index}]`, undefined),
    ),
  ];
  const { allowed, choice } = choiceOf(request, new Set(tools.map(({ name }) => name)), reader);
  const offered = allowed === undefined ? tools : tools.filter(({ name }) => allowed.has(name));
  // In the old form an answer has one call at most.
  const isParallel = flagAt(request.parallel_tool_calls ?? true, 'parallel_tool_calls');
  const isSingle = !isParallel || request.functions !== undefined;
  const areForced = choice?.type === 'any' || choice?.type === 'tool';
  if (offered.length === 0) {
    if (areForced) throw reader.refusal('tool_choice', 'is given no tools to choose from');
    return { tools: [], choice: undefined, areForced };
  }
  return { tools: offered, choice: isSingle ? singleCall(choice) : choice, areForced };
}

class ToolDeclarations {
  readonly #traits: AnthropicModelTraits;
  readonly #reader: FieldReader;

  constructor(traits: AnthropicModelTraits, reader: FieldReader) {
    this.#traits = traits;
    this.#reader = reader;
  }

  tool(given: unknown, path: string): JsonObject {
    const tool = functionTool(given, path, this.#reader);
    return this.function(tool.function, `${path}.function`, tool.cache_control);
  }

  function(given: unknown, path: string, cacheControl: unknown): JsonObject {
    const declared = this.#reader.members(given, path);
    const { description, parameters, strict } = declared;
    const schema = parameters === undefined ? {} : objectAt(parameters, `${path}.parameters`);
    const name = `${path.replace(/\[\d+\]/, '[]')}.parameters`;
    const input = anthropicInputSchema(schema, name, this.#reader);
    const wantsStrict = flagAt(strict ?? false, `${path}.strict`);
    const isStrict = wantsStrict && this.#traits.strictTools;
    if (wantsStrict && !isStrict) this.#reader.ignore(`${path.replace(/\[\d+\]/, '[]')}.strict`);
    return {
      name: textAt(declared.name, `${path}.name`),
      ...(description === undefined ? {} : { description }),
      input_schema: isStrict ? anthropicSchema(input, name, this.#reader) : input,
      ...(isStrict ? { strict: true } : {}),
      ...cached(cacheControl ?? declared.cache_control),
    };
  }
}

/** The members of a tool, declared or allowed. */
function functionTool(given: unknown, path: string, reader: FieldReader): JsonObject {
  const tool = reader.members(given, path);
  if (tool.type === undefined || tool.type === 'function') return tool;
  throw reader.refusal(`${path}.type`, 'takes functions as tools only');
}

interface Choice {
  /** undefined: the model decides. */
  choice: JsonObject | undefined;
  /** The names of the tools that may be called; undefined: all. */
  allowed?: Set<unknown>;
}

const MODES: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'any' };

function choiceOf(
  { tool_choice, function_call }: JsonObject,
  names: ReadonlySet<unknown>,
  reader: FieldReader,
): Choice {
  const path = tool_choice === undefined ? 'function_call' : 'tool_choice';
  if (tool_choice !== undefined && function_call !== undefined) reader.ignore('function_call');
  const given = tool_choice ?? function_call;
  if (given === undefined) return { choice: undefined };
  if (names.size === 0) {
    if (given === 'auto' || given === 'none') return { choice: undefined };
    throw reader.refusal(path, 'is given no tools to choose from');
  }
  if (typeof given === 'string') return { choice: modeOf(given, path, reader) };
  if (path === 'function_call') return { choice: chosen(given, path, names, reader) };
  const choice = reader.members(given, path);
  if (choice.type === 'function')
    return { choice: chosen(choice.function, `${path}.function`, names, reader) };
  if (choice.type === 'allowed_tools')
    return allowedOf(choice.allowed_tools, `${path}.allowed_tools`, reader);
  throw reader.refusal(`${path}.type`, 'takes no such choice of tools');
}

function modeOf(mode: string, path: string, reader: FieldReader): JsonObject {
  const type = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (type === undefined) throw reader.refusal(path, 'takes no such choice of tools');
  return { type };
}

function chosen(given: unknown, path: string, names: ReadonlySet<unknown>, reader: FieldReader): JsonObject {
  const choice = named(given, path, reader);
  if (names.has(choice.name)) return choice;
  throw reader.refusal(`${path}.name`, 'is given no tool of this name');
}

function named(given: unknown, path: string, reader: FieldReader): JsonObject {
  return { type: 'tool', name: textAt(reader.members(given, path).name, `${path}.name`) };
}

function allowedOf(given: unknown, path: string, reader: FieldReader): Choice {
  const { mode, tools } = reader.members(given, path);
  const allowed = listAt(tools ?? [], `${path}.tools`).map((tool, index) => {
    const at = `${path}.tools[${index}]`;
    return named(functionTool(tool, at, reader).function, `${at}.function`, reader).name;
  });
  return {
    choice: modeOf(textAt(mode ?? 'auto', `${path}.mode`), `${path}.mode`, reader),
    allowed: new Set(allowed),
  };
}

function singleCall(choice: JsonObject | undefined): JsonObject | undefined {
  if (choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, objectAt, textAt } from '../../translation/field-values.ts';
import { readToolChoice, readTools, type ToolChoice } from '../shared/read-chat-tools.ts';
import type { AnthropicModelTraits } from './anthropic-model-traits.ts';
import { anthropicInputSchema, anthropicSchema } from './anthropic-schema.ts';
import { cached } from './convert-content-to-anthropic.ts';

export interface AnthropicTools {
  tools: JsonObject[];
  choice: JsonObject | undefined;
  /** True if the model must call one. */
  areForced: boolean;
}

/** @param request its carried members */
export function convertToolsToAnthropic(
  request: JsonObject,
  traits: AnthropicModelTraits,
  reader: FieldReader,
): AnthropicTools {
  const tools = readTools(request, reader, (given, path, cacheControl) =>
    convertFunction({ given, path, cacheControl }, traits, reader),
  );
  const chosen = readToolChoice(request, new Set(tools.map(({ name }) => name)), reader);
  const { allowed } = chosen;
  const offered = allowed === undefined ? tools : tools.filter(({ name }) => allowed.has(name));
  // In the old form an answer has one call at most.
  const isParallel = flagAt(request.parallel_tool_calls ?? true, 'parallel_tool_calls');
  const isSingle = !isParallel || request.functions !== undefined;
  const choice = convertChoice(chosen);
  const areForced = choice?.type === 'any' || choice?.type === 'tool';
  // "tool_choice forces tool use is not compatible with this model."
  if (areForced && !traits.forcesTools)
    throw reader.refusal(
      'tool_choice',
      'cannot be made to call a tool: send `auto`, and say in the messages when to call it',
    );
  if (offered.length === 0) {
    if (areForced) throw reader.refusal('tool_choice', 'is given no tools to choose from');
    return { tools: [], choice: undefined, areForced };
  }
  return { tools: offered, choice: isSingle ? singleCall(choice) : choice, areForced };
}

function convertFunction(
  { cacheControl, given, path }: { given: unknown; path: string; cacheControl: unknown },
  traits: AnthropicModelTraits,
  reader: FieldReader,
): JsonObject {
  const { cache_control, description, name, parameters, strict } = reader.members(given, path);
  const schema = parameters === undefined ? {} : objectAt(parameters, `${path}.parameters`);
  const field = path.replace(/\[\d+\]/, '[]');
  const input = anthropicInputSchema(schema, `${field}.parameters`, reader);
  const wantsStrict = flagAt(strict ?? false, `${path}.strict`);
  const isStrict = wantsStrict && traits.strictTools;
  if (wantsStrict && !isStrict) reader.ignore(`${field}.strict`);
  return {
    name: textAt(name, `${path}.name`),
    ...(description === undefined ? {} : { description }),
    input_schema: isStrict ? anthropicSchema(input, `${field}.parameters`, reader) : input,
    ...(isStrict ? { strict: true } : {}),
    ...cached(cacheControl ?? cache_control),
  };
}

const MODES = { auto: 'auto', none: 'none', required: 'any' } as const;

function convertChoice({ mode, name }: ToolChoice): JsonObject | undefined {
  if (name !== undefined) return { type: 'tool', name };
  return mode && { type: MODES[mode] };
}

function singleCall(choice: JsonObject | undefined): JsonObject | undefined {
  if (choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

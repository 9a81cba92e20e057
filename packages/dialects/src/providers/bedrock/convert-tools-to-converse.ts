import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { anthropicModelTraits } from '../anthropic/anthropic-model-traits.ts';
import { convertToolsToAnthropic } from '../anthropic/convert-tools-to-anthropic.ts';
import type { ConverseModelTraits } from './converse-model-traits.ts';

interface ToolsInput {
  /** True if the conversation has tool calls: Converse then requires tools. */
  hasCalls: boolean;
  traits: ConverseModelTraits;
  reader: FieldReader;
}

export function convertToolsToConverse(
  request: JsonObject,
  { traits, hasCalls, reader }: ToolsInput,
): JsonObject | undefined {
  const { choice, tools } = convertToolsToAnthropic(
    request,
    { ...anthropicModelTraits(''), strictTools: traits.strictTools },
    reader,
  );
  if (tools.length === 0) {
    if (hasCalls) throw reader.refusal('tools', 'takes calls of tools only with the tools that were called');
    return undefined;
  }
  if (choice?.type === 'none') {
    // Converse has no such choice. Without earlier calls, leaving out all tools means the same.
    if (!hasCalls) return undefined;
    throw reader.refusal('tool_choice', 'takes "none" only before any tool was called');
  }
  const toolChoice = choiceOf(choice);
  for (const tool of tools) ignoreCacheControl(tool, reader);
  return {
    tools: tools.map((tool) => ({ toolSpec: toolSpec(tool) })),
    ...(toolChoice === undefined ? {} : { toolChoice }),
  };
}

function toolSpec({ description, input_schema, name, strict }: JsonObject): JsonObject {
  return {
    name,
    // Converse refuses an empty description.
    ...(typeof description === 'string' && description.trim() !== '' ? { description } : {}),
    inputSchema: { json: input_schema },
    ...(strict === true ? { strict } : {}),
  };
}

/** Models with cache points have none among tools. */
function ignoreCacheControl({ cache_control }: JsonObject, reader: FieldReader): void {
  if (cache_control !== undefined) reader.ignore('tools[].cache_control');
}

function choiceOf(choice: JsonObject | undefined): JsonObject | undefined {
  switch (choice?.type) {
    case 'any':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice.name } };
    case 'auto':
      return { auto: {} };
    default:
      return undefined;
  }
}

import type { PlaygroundChatRequest } from '../../../../wire/playground.ts';
import { fieldsOf } from '../../api/api-error.ts';

type Tools = NonNullable<PlaygroundChatRequest['tools']>;

/** Parses one tool of POST /v1/chat/completions, or a list. @returns a text if there is a problem */
export function readTools(text: string): Tools | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : ''}`;
  }
  const tools = Array.isArray(parsed) ? parsed : [parsed];
  if (tools.length === 0) return 'Enter at least one tool, or nothing.';
  for (const [index, tool] of tools.entries()) {
    const { type, function: definition } = fieldsOf(tool);
    if (typeof type !== 'string') return `Tool ${index + 1} has no "type", such as "function".`;
    if (type === 'function' && typeof fieldsOf(definition).name !== 'string') {
      return `Tool ${index + 1} has no "name" in its "function".`;
    }
  }
  return tools;
}

export const EXAMPLE_TOOLS = `[
  {
    "type": "function",
    "function": {
      "name": "get_weather",
      "description": "Returns the weather of a city.",
      "parameters": {
        "type": "object",
        "properties": { "city": { "type": "string" } },
        "required": ["city"]
      }
    }
  }
]`;

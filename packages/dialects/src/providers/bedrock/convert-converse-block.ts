import { isObject, type JsonObject } from '../../json/json-object.ts';

/** @returns a block of Messages; undefined: the first delta shows its type */
export function convertConverseBlockStart(start: unknown): JsonObject | undefined {
  if (!isObject(start) || !isObject(start.toolUse)) return undefined;
  const { name, toolUseId: id } = start.toolUse;
  return { type: 'tool_use', id, name, input: {} };
}

interface ConvertedDelta {
  /** An empty block of this type. */
  block: JsonObject;
  /** Deltas of Messages. */
  pieces: JsonObject[];
}

/** @returns undefined for a delta that no caller's API has */
export function convertConverseDelta(delta: unknown): ConvertedDelta | undefined {
  if (!isObject(delta)) return undefined;
  const { reasoningContent, text, toolUse } = delta;
  if (typeof text === 'string') return { block: { type: 'text' }, pieces: [{ type: 'text_delta', text }] };
  if (isObject(toolUse)) {
    const pieces = [{ type: 'input_json_delta', partial_json: toolUse.input }];
    return { block: { type: 'tool_use' }, pieces };
  }
  return isObject(reasoningContent) ? reasoning(reasoningContent) : undefined;
}

function reasoning({ redactedContent, signature, text }: JsonObject): ConvertedDelta {
  if (typeof redactedContent === 'string')
    return { block: { type: 'redacted_thinking', data: redactedContent }, pieces: [] };
  return {
    block: { type: 'thinking' },
    pieces: [
      ...(typeof text === 'string' ? [{ type: 'thinking_delta', thinking: text }] : []),
      ...(typeof signature === 'string' ? [{ type: 'signature_delta', signature }] : []),
    ],
  };
}

import type { ChatPart } from './chat-part.ts';
import type { ToolCall } from './chat-turn.ts';

type ToolCallPart = Extract<ChatPart, { kind: 'tool-call' }>;

/** Adds a piece of a tool call to the calls so far. A call without an id gets one from its index. */
export function addToolCall(calls: readonly ToolCall[], part: ToolCallPart): ToolCall[] {
  const { index } = part;
  const before = calls.find((call) => call.index === index);
  const { id, name, args } = before ?? { id: `call_${index}`, name: '', args: '' };
  const changed = {
    index,
    id: part.id === '' ? id : part.id,
    name: part.name === '' ? name : part.name,
    args: args + part.args,
  };
  return before === undefined ? [...calls, changed] : calls.map((call) => (call === before ? changed : call));
}

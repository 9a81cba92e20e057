import { fieldsOf } from '../../api/api-error.ts';

/** A part of a streamed chat response. */
export type ChatPart =
  | { kind: 'text'; text: string }
  /** A piece of a tool call: id and name come once, arguments in pieces. */
  | { kind: 'tool-call'; index: number; id: string; name: string; args: string }
  /** Why the model stopped, such as `stop` or `length`. */
  | { kind: 'finished'; reason: string }
  | { kind: 'failed'; message: string; code: string; requestId: string | null }
  /** Nothing follows. */
  | { kind: 'end' };

/**
 * Parses an event of POST /v1/chat/completions. Returns nothing for events without anything to show.
 * @param data the event's data
 */
export function parseChatEvent(data: string): ChatPart[] {
  if (data === '[DONE]') return [{ kind: 'end' }];
  const chunk = fieldsOf(parse(data));
  if ('error' in chunk) {
    const { message, code, request_id: requestId } = fieldsOf(chunk.error);
    return [
      {
        kind: 'failed',
        message: typeof message === 'string' ? message : 'The provider aborted the response.',
        code: typeof code === 'string' ? code : 'unknown',
        requestId: typeof requestId === 'string' ? requestId : null,
      },
    ];
  }
  const choice = fieldsOf(Array.isArray(chunk.choices) ? chunk.choices[0] : undefined);
  const { content, tool_calls: calls } = fieldsOf(choice.delta);
  const parts: ChatPart[] = [];
  if (typeof content === 'string' && content !== '') parts.push({ kind: 'text', text: content });
  if (Array.isArray(calls)) parts.push(...calls.map(parseToolCall));
  if (typeof choice.finish_reason === 'string') {
    parts.push({ kind: 'finished', reason: choice.finish_reason });
  }
  return parts;
}

function parseToolCall(call: unknown, place: number): ChatPart {
  const { index, id, function: called } = fieldsOf(call);
  const { name, arguments: args } = fieldsOf(called);
  return {
    kind: 'tool-call',
    index: typeof index === 'number' ? index : place,
    id: textOf(id),
    name: textOf(name),
    args: textOf(args),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return { error: { message: 'The response could not be read.', code: 'unreadable' } };
  }
}

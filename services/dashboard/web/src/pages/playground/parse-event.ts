import type { PlaygroundApi } from '../../../../wire/playground.ts';
import { fieldsOf } from '../../api/api-error.ts';
import { type ChatPart, numberOf, textOf, textPart } from './chat-part.ts';
import { parseMessagesEvent } from './parse-messages-event.ts';
import { parseResponsesEvent } from './parse-responses-event.ts';

const PARSERS: Record<PlaygroundApi, (event: Record<string, unknown>) => ChatPart[]> = {
  chat_completions: parseChunk,
  messages: parseMessagesEvent,
  responses: parseResponsesEvent,
};

/**
 * Parses an event of a streamed response. Returns nothing for events without anything to show.
 * @param data the event's data
 */
export function parseEvent(api: PlaygroundApi, data: string): ChatPart[] {
  if (data === '[DONE]') return [{ kind: 'end' }];
  const event = fieldsOf(parse(data));
  const error = errorIn(event);
  return error === undefined ? PARSERS[api](event) : [failureOf(error, event.request_id)];
}

/** Finds an error: as `error`, of a failed response, or the event itself in the Responses API. */
function errorIn(event: Record<string, unknown>): unknown {
  if (event.type === 'response.failed') return fieldsOf(event.response).error ?? {};
  if ('error' in event) return event.error;
  return event.type === 'error' ? event : undefined;
}

function failureOf(error: unknown, outerId: unknown): ChatPart {
  const { code, message, request_id: requestId = outerId } = fieldsOf(error);
  return {
    kind: 'failed',
    message: textOf(message) || 'The provider aborted the response.',
    code: textOf(code) || 'unknown',
    requestId: textOf(requestId) || null,
  };
}

/** Reads a chunk of POST /v1/chat/completions. */
function parseChunk(chunk: Record<string, unknown>): ChatPart[] {
  const choice = fieldsOf(Array.isArray(chunk.choices) ? chunk.choices[0] : undefined);
  const { content, tool_calls: calls } = fieldsOf(choice.delta);
  const parts = textPart(content);
  if (Array.isArray(calls)) parts.push(...calls.map(parseToolCall));
  const reason = textOf(choice.finish_reason);
  if (reason !== '') parts.push({ kind: 'finished', reason });
  return parts;
}

function parseToolCall(call: unknown, place: number): ChatPart {
  const { index, id, function: called } = fieldsOf(call);
  const { name, arguments: args } = fieldsOf(called);
  return {
    kind: 'tool-call',
    index: numberOf(index, place),
    id: textOf(id),
    name: textOf(name),
    args: textOf(args),
  };
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return { error: { message: 'The response could not be read.', code: 'unreadable' } };
  }
}

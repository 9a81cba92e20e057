import type { PlaygroundChatRequest } from '../../../../wire/playground.ts';

export interface Picture {
  name: string;
  /** A data URL. */
  url: string;
}

/** A call of a tool by the model. */
export interface ToolCall {
  /** The place in the response. */
  index: number;
  id: string;
  name: string;
  /** JSON, incomplete until it has arrived. */
  args: string;
}

/** The user's part of a turn: a message, or the results of the tool calls of the turn before. */
export interface Question {
  text: string;
  pictures: readonly Picture[];
  results: readonly { callId: string; content: string }[];
}

/** A message of the user and the response to it. */
export interface ChatTurn {
  id: number;
  question: Question;
  model: string;
  /** The seat that pays; undefined: the account. */
  seatId: string | undefined;
  answer: string;
  toolCalls: readonly ToolCall[];
  state: 'streaming' | 'done' | 'stopped' | 'failed';
  /** By performance.now(). */
  startedAtMs: number;
  firstTokenMs?: number;
  totalMs?: number;
  /** Known as soon as the response begins. */
  requestId?: string;
  /** Why the model stopped. */
  finishReason?: string;
  error?: unknown;
}

type Message = PlaygroundChatRequest['messages'][number];

/**
 * Builds the messages of the request: the conversation, without questions that got no response, and without
 * tool calls that got no result, which providers reject.
 */
export function buildMessages(system: string, turns: readonly ChatTurn[], question: Question): Message[] {
  const messages = messagesOf(question);
  let next = question;
  for (const turn of turns.toReversed()) {
    const answered = turn.toolCalls.filter(({ id }) => next.results.some(({ callId }) => callId === id));
    if (turn.answer === '' && answered.length === 0) continue;
    messages.unshift(...messagesOf(turn.question), {
      role: 'assistant',
      content: turn.answer === '' ? null : turn.answer,
      ...(answered.length > 0 && { tool_calls: answered.map(toToolCall) }),
    });
    next = turn.question;
  }
  return system.trim() === '' ? messages : [{ role: 'system', content: system }, ...messages];
}

function messagesOf({ text, pictures, results }: Question): Message[] {
  if (results.length > 0) {
    return results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: callId, content }));
  }
  if (pictures.length === 0) return [{ role: 'user', content: text }];
  const parts = pictures.map(({ url }) => ({ type: 'image_url' as const, image_url: { url } }));
  return [{ role: 'user', content: text === '' ? parts : [{ type: 'text', text }, ...parts] }];
}

function toToolCall({ id, name, args }: ToolCall) {
  return { id, type: 'function' as const, function: { name, arguments: args } };
}

import type { PlaygroundChatRequest } from '../../../../wire/playground.ts';

/** A question and what came of it. */
export interface ChatTurn {
  id: number;
  question: string;
  model: string;
  /** Whose money it is; undefined: the account's. */
  seatId: string | undefined;
  answer: string;
  state: 'streaming' | 'done' | 'stopped' | 'failed';
  /** By performance.now(). */
  startedAtMs: number;
  firstTokenMs?: number;
  totalMs?: number;
  /** Known as soon as the answer has begun. */
  requestId?: string;
  /** Why the model stopped. */
  finishReason?: string;
  error?: unknown;
}

type Message = PlaygroundChatRequest['messages'][number];

/** What the model is sent: the whole conversation, but for questions that got no answer. */
export function messagesOf(system: string, turns: readonly ChatTurn[], question: string): Message[] {
  const messages: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  for (const turn of turns) {
    if (turn.answer === '') continue;
    messages.push({ role: 'user', content: turn.question }, { role: 'assistant', content: turn.answer });
  }
  return [...messages, { role: 'user', content: question }];
}

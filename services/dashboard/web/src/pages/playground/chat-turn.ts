import type { PlaygroundChatRequest } from '../../../../wire/playground.ts';

/** A message of the user and the response to it. */
export interface ChatTurn {
  id: number;
  question: string;
  model: string;
  /** The seat that pays; undefined: the account. */
  seatId: string | undefined;
  answer: string;
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

/** Builds the messages of the request: the conversation, without questions that got no text. */
export function buildMessages(system: string, turns: readonly ChatTurn[], question: string): Message[] {
  const messages: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  for (const turn of turns) {
    if (turn.answer === '') continue;
    messages.push({ role: 'user', content: turn.question }, { role: 'assistant', content: turn.answer });
  }
  return [...messages, { role: 'user', content: question }];
}

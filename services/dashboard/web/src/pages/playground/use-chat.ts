import { useEffect, useRef, useState } from 'react';
import { isAbort, postForResponse } from '../../api/client.ts';
import { addToolCall } from './add-tool-call.ts';
import { chatRequest } from './chat-request.ts';
import type { ChatSettings } from './chat-settings.ts';
import type { ChatTurn, Question } from './chat-turn.ts';
import { readChat } from './read-chat.ts';

export interface Chat {
  turns: readonly ChatTurn[];
  isStreaming: boolean;
  send: (question: Question, settings: ChatSettings) => void;
  /** Sends the last question again, in place of the failed turn. */
  retry: (settings: ChatSettings) => void;
  stop: () => void;
  clear: () => void;
  /** Continues another conversation. */
  adopt: (turns: readonly ChatTurn[]) => void;
}

/** Holds the conversation while the page is open. */
export function useChat(): Chat {
  const [turns, setTurns] = useState<readonly ChatTurn[]>([]);
  const running = useRef<AbortController | undefined>(undefined);
  // Aborts when the page is left, so that nobody pays for unread text.
  useEffect(() => () => running.current?.abort(), []);

  async function run(before: readonly ChatTurn[], question: Question, settings: ChatSettings): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    const { model, seatId } = settings;
    const startedAtMs = performance.now();
    let turn: ChatTurn = {
      id: (before.at(-1)?.id ?? 0) + 1,
      question,
      model,
      seatId,
      answer: '',
      toolCalls: [],
      state: 'streaming',
      startedAtMs,
    };
    const update = (change: Partial<ChatTurn>) => {
      turn = { ...turn, ...change };
      setTurns([...before, turn]);
    };
    update({});
    try {
      const body = chatRequest(before, question, settings);
      const response = await postForResponse('/api/playground/chat', body, controller.signal);
      const requestId = response.headers.get('x-request-id');
      if (requestId !== null) update({ requestId });
      for await (const part of readChat(response, settings.api)) {
        if (part.kind === 'text') {
          const firstTokenMs = turn.firstTokenMs ?? performance.now() - startedAtMs;
          update({ answer: turn.answer + part.text, firstTokenMs });
        } else if (part.kind === 'tool-call') {
          const firstTokenMs = turn.firstTokenMs ?? performance.now() - startedAtMs;
          update({ toolCalls: addToolCall(turn.toolCalls, part), firstTokenMs });
        } else if (part.kind === 'finished') {
          update({ finishReason: part.reason });
        }
      }
      update({ state: 'done', totalMs: performance.now() - startedAtMs });
    } catch (error) {
      const totalMs = performance.now() - startedAtMs;
      if (controller.signal.aborted && isAbort(error)) update({ state: 'stopped', totalMs });
      else update({ state: 'failed', totalMs, error });
    } finally {
      if (running.current === controller) running.current = undefined;
    }
  }

  const isStreaming = turns.at(-1)?.state === 'streaming';
  return {
    turns,
    isStreaming,
    send: (question, settings) => {
      if (!isStreaming) void run(turns, question, settings);
    },
    retry: (settings) => {
      const last = turns.at(-1);
      if (last !== undefined && !isStreaming) void run(turns.slice(0, -1), last.question, settings);
    },
    stop: () => running.current?.abort(),
    clear: () => {
      if (!isStreaming) setTurns([]);
    },
    adopt: (others) => {
      if (!isStreaming) setTurns(others);
    },
  };
}

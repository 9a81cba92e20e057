import type { WaitingCalls } from './waiting-store.ts';

export function waitingMessages(waiting: readonly WaitingCalls[]) {
  return waiting.map((of) => ({ ...of, longestMs: Math.round(of.longestMs) }));
}

import type { WaitingCalls } from './waiting-store.ts';

/** Calls that wait, as gRPC carries them (proto/gateway/v1/catalog.proto). */
export function waitingMessages(waiting: readonly WaitingCalls[]) {
  return waiting.map((of) => ({ ...of, longestMs: Math.round(of.longestMs) }));
}

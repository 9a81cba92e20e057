import type { WaitingCallsMessage } from '@model-gateway/contracts';
import { formatTable } from './table.ts';

/** Calls of a model that have waited for a provider for 10 s or more without any part of an answer. */
export interface WaitingJson {
  model: string;
  provider: string;
  calls: number;
  longest_seconds: number;
}

export function waitingJson({ modelId, providerId, calls, longestMs }: WaitingCallsMessage): WaitingJson {
  return {
    model: modelId,
    provider: providerId,
    calls,
    longest_seconds: Math.floor(Number(longestMs) / 1_000),
  };
}

/** @returns a table, or none when no call waits */
export function waitingTable(waiting: readonly WaitingJson[]): string[] {
  if (waiting.length === 0) return [];
  const table = formatTable(
    ['MODEL', 'PROVIDER', 'WAITING FOR AN ANSWER'],
    waiting.map(({ calls, longest_seconds, model, provider }) => [
      model,
      provider,
      `${calls} ${calls === 1 ? 'call' : 'calls'} waiting for ${longest_seconds} s`,
    ]),
  );
  return [table];
}

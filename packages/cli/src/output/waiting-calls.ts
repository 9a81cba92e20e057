import type { WaitingCallsMessage } from '@model-gateway/contracts';
import { formatTable } from './table.ts';

/** Calls of a model that have had nothing of an answer from a provider for 10 s or more. */
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

/** @returns a table, or none where nobody waits */
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

import type { WaitingCallsMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';

type WaitingJson = ReturnType<typeof waitingJson>;

/** Calls to a model that a provider has kept waiting for 10 s or more without any part of a response. */
export function waitingJson({ modelId, providerId, calls, longestMs }: WaitingCallsMessage) {
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
    ['MODEL', 'PROVIDER', 'WAITING FOR A RESPONSE'],
    waiting.map(({ calls, longest_seconds, model, provider }) => [
      model,
      provider,
      `${calls} ${calls === 1 ? 'call' : 'calls'} for up to ${longest_seconds} s`,
    ]),
  );
  return [table];
}

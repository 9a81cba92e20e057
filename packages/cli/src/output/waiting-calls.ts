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

export function waitingText(waiting: readonly WaitingJson[]): string {
  return formatTable(
    ['MODEL', 'PROVIDER', 'WAITING FOR AN ANSWER'],
    waiting.map(({ calls, longest_seconds, model, provider }) => [
      model,
      provider,
      `${calls} ${calls === 1 ? 'call' : 'calls'} waiting for ${longest_seconds} s`,
    ]),
  );
}

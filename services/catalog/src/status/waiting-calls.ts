import type { WaitingCallsMessage } from '@model-gateway/contracts';
import type { ModelStatusList } from '@model-gateway/shared';

/** Calls that have waited for a response for a long time. */
export type Waiting = NonNullable<ModelStatusList['data'][number]['waiting']>;

/** Sums up the waiting calls by model id, over all its providers. */
export function waitingByModel(messages: readonly WaitingCallsMessage[]): Map<string, Waiting> {
  const byModel = new Map<string, Waiting>();
  for (const { calls, longestMs, modelId } of messages) {
    const longest_seconds = Math.floor(Number(longestMs) / 1_000);
    const known = byModel.get(modelId) ?? { calls: 0, longest_seconds: 0 };
    byModel.set(modelId, {
      calls: known.calls + calls,
      longest_seconds: Math.max(known.longest_seconds, longest_seconds),
    });
  }
  return byModel;
}

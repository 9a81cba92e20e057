import { modelOf, type RequestRecord } from '../request-record.ts';

/** Calls of a model at a provider that have got nothing yet that could be passed on. */
export interface WaitingCalls {
  modelId: string;
  providerId: string;
  calls: number;
  /** How long the longest waiting call has waited, in milliseconds. */
  longestMs: number;
}

/**
 * Finds the calls that wait for a provider at this moment: streams wait until their first event, other
 * answers until they are complete. It reads what requests note anyway, so that it costs them nothing.
 * @param atLeastMs calls that have waited for less are left out
 * @returns the calls that have waited longest first
 */
export function waitingCalls(exchanges: Iterable<{ record: RequestRecord }>, atLeastMs = 0): WaitingCalls[] {
  const nowMs = performance.now();
  const byModel = new Map<string, Map<string, WaitingCalls>>();
  for (const { record } of exchanges) {
    const attempt = record.attempts.at(-1);
    const model = modelOf(record);
    if (model === undefined || attempt === undefined) continue;
    const { endedAtMs, firstByteAtMs, providerId, startedAtMs } = attempt;
    if (endedAtMs !== undefined || firstByteAtMs !== undefined) continue;
    const waitedMs = nowMs - startedAtMs;
    if (waitedMs < atLeastMs) continue;
    const modelId = model.id;
    const ofModel = byModel.get(modelId) ?? new Map<string, WaitingCalls>();
    byModel.set(modelId, ofModel);
    const { calls, longestMs } = ofModel.get(providerId) ?? { calls: 0, longestMs: 0 };
    ofModel.set(providerId, {
      modelId,
      providerId,
      calls: calls + 1,
      longestMs: Math.max(longestMs, waitedMs),
    });
  }
  return [...byModel.values()]
    .flatMap((ofModel) => [...ofModel.values()])
    .sort((a, b) => b.longestMs - a.longestMs);
}

import type { MinuteOutcomes } from '../status/health-store.ts';
import { addHistogram } from '../status/latency-histogram.ts';

export type WideOutcomes = Omit<MinuteOutcomes, 'minute' | 'accounts'> & { start: Date };

/** Adds minutes to their hours or days (UTC). @returns sorted as the minutes are */
export function widenMinutes(minutes: readonly MinuteOutcomes[], widthMs: number): WideOutcomes[] {
  const sums = new Map<string, WideOutcomes>();
  for (const { minute, accounts: _accounts, latencyBuckets, firstTokenBuckets, ...counts } of minutes) {
    const start = new Date(Math.floor(minute.getTime() / widthMs) * widthMs);
    const key = JSON.stringify([counts.modelId, counts.providerId, start.getTime()]);
    const sum = sums.get(key);
    if (sum === undefined) {
      const histograms = { latencyBuckets: [...latencyBuckets], firstTokenBuckets: [...firstTokenBuckets] };
      sums.set(key, { ...counts, ...histograms, start });
      continue;
    }
    sum.attempts += counts.attempts;
    sum.failedAttempts += counts.failedAttempts;
    sum.requests += counts.requests;
    sum.failedRequests += counts.failedRequests;
    sum.gaveUp += counts.gaveUp;
    addHistogram(sum.latencyBuckets, latencyBuckets);
    addHistogram(sum.firstTokenBuckets, firstTokenBuckets);
  }
  return [...sums.values()];
}

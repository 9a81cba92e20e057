import type { MinuteOutcomes } from '../status/health-store.ts';
import { addHistogram } from '../status/latency-histogram.ts';

const HOUR_MS = 3_600_000;

export type HourOutcomes = Omit<MinuteOutcomes, 'minute' | 'accounts'> & { hour: Date };

/** Adds minutes to their hours (UTC). @returns sorted as the minutes are */
export function sumHours(minutes: readonly MinuteOutcomes[]): HourOutcomes[] {
  const hours = new Map<string, HourOutcomes>();
  for (const { minute, accounts: _accounts, latencyBuckets, firstTokenBuckets, ...counts } of minutes) {
    const hour = new Date(Math.floor(minute.getTime() / HOUR_MS) * HOUR_MS);
    const key = JSON.stringify([counts.modelId, counts.providerId, hour.getTime()]);
    const sum = hours.get(key);
    if (sum === undefined) {
      const histograms = { latencyBuckets: [...latencyBuckets], firstTokenBuckets: [...firstTokenBuckets] };
      hours.set(key, { ...counts, ...histograms, hour });
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
  return [...hours.values()];
}

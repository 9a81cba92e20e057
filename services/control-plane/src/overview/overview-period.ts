import type { Period } from '../roll-ups/usage-sums-store.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const WEEK = 7 * DAY;

export const OVERVIEW_PERIODS = ['1h', '24h', '7d', '30d'] as const;
export type OverviewPeriodName = (typeof OVERVIEW_PERIODS)[number];

/** Seconds of each period, and of the buckets of its chart. */
const PERIODS: Record<OverviewPeriodName, { length: number; bucket: number }> = {
  '1h': { length: HOUR, bucket: MINUTE },
  '24h': { length: DAY, bucket: HOUR },
  '7d': { length: WEEK, bucket: HOUR },
  '30d': { length: 30 * DAY, bucket: DAY },
};

export interface OverviewPeriod {
  /** Begins with a bucket and ends with the current minute. Unix seconds, like `previous`. */
  now: Period;
  /** The same a week before. */
  previous: Period;
  bucketSeconds: number;
}

/** Returns the last hour, day, 7 days or 30 days, of whole buckets but for the current one. */
export function overviewPeriod(name: OverviewPeriodName, nowMs: number): OverviewPeriod {
  const { bucket, length } = PERIODS[name];
  const end = (Math.floor(nowMs / 1_000 / MINUTE) + 1) * MINUTE;
  const start = Math.ceil(end / bucket) * bucket - length;
  return {
    now: { start, end },
    previous: { start: start - WEEK, end: end - WEEK },
    bucketSeconds: bucket,
  };
}

import { BUCKET_WIDTHS } from '@model-gateway/shared';
import { emptyPeriod, tooManyBuckets } from '../errors/request-errors.ts';

/** A chart cannot show more. */
const MAX_BUCKETS = 1_500;

export const WIDTHS = {
  minute: BUCKET_WIDTHS['1m'],
  hour: BUCKET_WIDTHS['1h'],
  day: BUCKET_WIDTHS['1d'],
} as const;
export type Width = keyof typeof WIDTHS;

export interface UsagePeriod {
  /** In Unix seconds, rounded outwards from the given milliseconds. */
  start: number;
  end: number;
}

/** @throws DashboardError invalid_request when it is empty */
export function usagePeriod({ fromMs, toMs }: { fromMs: number; toMs: number }): UsagePeriod {
  if (fromMs >= toMs) throw emptyPeriod();
  return { start: Math.floor(fromMs / 1_000), end: Math.ceil(toMs / 1_000) };
}

/** @throws DashboardError invalid_request when it has too many buckets of that width */
export function checkBuckets({ start, end }: UsagePeriod, width: Width): void {
  const { seconds } = WIDTHS[width];
  const buckets = Math.ceil(end / seconds) - Math.floor(start / seconds);
  if (buckets > MAX_BUCKETS) throw tooManyBuckets(buckets, MAX_BUCKETS, width);
}

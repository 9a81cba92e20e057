import { BUCKET_WIDTHS } from '@model-gateway/shared';
import { DashboardError } from '../errors/dashboard-error.ts';

/** In a chart nobody can tell more buckets apart. */
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
  if (fromMs >= toMs) {
    throw new DashboardError('invalid_request', 'The period must begin before it ends.', { param: 'toMs' });
  }
  return { start: Math.floor(fromMs / 1_000), end: Math.ceil(toMs / 1_000) };
}

/** @throws DashboardError invalid_request when it has too many buckets of that width */
export function checkBuckets({ start, end }: UsagePeriod, width: Width): void {
  const { seconds } = WIDTHS[width];
  const buckets = Math.ceil(end / seconds) - Math.floor(start / seconds);
  if (buckets <= MAX_BUCKETS) return;
  const wider = width === 'day' ? 'Choose a shorter period.' : 'Choose a shorter period or a wider bucket.';
  throw new DashboardError(
    'invalid_request',
    `That are ${buckets} buckets of one ${width}; at most ${MAX_BUCKETS} can be shown. ${wider}`,
    { param: 'width' },
  );
}

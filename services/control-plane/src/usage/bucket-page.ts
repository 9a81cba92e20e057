import type { Period } from '../roll-ups/usage-sums-store.ts';

export interface BucketPage {
  buckets: Period[];
  nextPageStart: number | undefined;
}

/**
 * Returns one page of buckets.
 * @param width buckets begin at its multiples; 0: one bucket
 * @param pageStart first bucket begins here or later; undefined: at the period's start
 */
export function bucketPage(
  period: Period,
  { width, limit, pageStart }: { width: number; limit: number; pageStart: number | undefined },
): BucketPage {
  if (width === 0) return { buckets: [period], nextPageStart: undefined };
  const buckets: Period[] = [];
  let start =
    pageStart === undefined || pageStart <= period.start
      ? period.start
      : Math.ceil(pageStart / width) * width;
  while (start < period.end && buckets.length < limit) {
    const end = Math.min(Math.floor(start / width) * width + width, period.end);
    buckets.push({ start, end });
    start = end;
  }
  return { buckets, nextPageStart: start < period.end ? start : undefined };
}

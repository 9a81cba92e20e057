import type { Period } from '../roll-ups/usage-sums-store.ts';

export interface BucketPage {
  /** The buckets in order. The edges of the period may cut off a part of the first and the last. */
  buckets: Period[];
  /** Undefined on the last page. */
  nextPageStart: number | undefined;
}

/**
 * Returns one page of a period's buckets.
 * @param width the width of the buckets, which begin at its multiples; 0: the period is one bucket
 * @param pageStart the page begins with the first bucket that begins here or later; undefined: with the
 *   period's first
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

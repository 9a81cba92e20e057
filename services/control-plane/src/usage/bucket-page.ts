import type { Period } from './cover-period.ts';

export interface BucketPage {
  /** They follow each other; the first and the last of a period may be cut by its edges. */
  buckets: Period[];
  /** Undefined: this is the last page. */
  nextPageStart: number | undefined;
}

/**
 * One page of a period's buckets.
 * @param width of the buckets, which begin at its multiples; 0: the period is one bucket
 * @param pageStart the first bucket is the first that begins here or later; undefined: the period's first
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

import type { Period } from '../roll-ups/usage-sums-store.ts';
import type { BucketPage } from './bucket-page.ts';

export interface CutPage<Row> {
  buckets: (Period & { groups: Row[] })[];
  nextStart: number | undefined;
  /** Last row here of the bucket at `nextStart`; undefined when the next page starts with a whole bucket. */
  nextAfter: Row | undefined;
}

/**
 * Cuts a page to whole buckets that fit, or to part of the first.
 * @param rows in bucket order, at most `max` + 1; that one more shows that not all fit
 */
export function cutPage<Row extends { bucket: Date }>(
  { buckets, nextPageStart }: BucketPage,
  rows: readonly Row[],
  max: number,
): CutPage<Row> {
  const byStart = Map.groupBy(rows, startOf);
  const withRows = buckets.map((bucket) => ({ ...bucket, groups: byStart.get(bucket.start) ?? [] }));
  const firstLeftOut = rows[max];
  if (firstLeftOut === undefined)
    return { buckets: withRows, nextStart: nextPageStart, nextAfter: undefined };
  const nextStart = startOf(firstLeftOut);
  const complete = withRows.filter(({ start }) => start < nextStart);
  if (complete.length > 0) return { buckets: complete, nextStart, nextAfter: undefined };
  const part = withRows.slice(0, 1).map((bucket) => ({ ...bucket, groups: rows.slice(0, max) }));
  return { buckets: part, nextStart, nextAfter: rows[max - 1] };
}

function startOf({ bucket }: { bucket: Date }): number {
  return bucket.getTime() / 1_000;
}

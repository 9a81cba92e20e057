import type { BucketPage } from './bucket-page.ts';
import type { Period } from './cover-period.ts';

export interface CutPage<Row> {
  buckets: (Period & { groups: Row[] })[];
  /** Start of the next page's first bucket; undefined: this is the last page. */
  nextStart: number | undefined;
  /** That bucket goes on after this row. */
  nextAfter: Row | undefined;
}

/**
 * Leaves on a page what fits: whole buckets, or a part of the first one where that alone is too large.
 * @param rows in the order of the buckets; more than `max` tell that not all of them fit
 */
export function cutPage<Row extends { bucket: Date }>(
  { buckets, nextPageStart }: BucketPage,
  rows: readonly Row[],
  max: number,
): CutPage<Row> {
  const byStart = Map.groupBy(rows, startOf);
  const withRows = buckets.map((bucket) => ({ ...bucket, groups: byStart.get(bucket.start) ?? [] }));
  const tooMuch = rows[max];
  if (tooMuch === undefined) return { buckets: withRows, nextStart: nextPageStart, nextAfter: undefined };
  const nextStart = startOf(tooMuch);
  const complete = withRows.filter(({ start }) => start < nextStart);
  if (complete.length > 0) return { buckets: complete, nextStart, nextAfter: undefined };
  const part = withRows.slice(0, 1).map((bucket) => ({ ...bucket, groups: rows.slice(0, max) }));
  return { buckets: part, nextStart, nextAfter: rows[max - 1] };
}

function startOf({ bucket }: { bucket: Date }): number {
  return bucket.getTime() / 1_000;
}

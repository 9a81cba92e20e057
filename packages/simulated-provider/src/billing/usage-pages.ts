import { ProviderError } from '../errors/provider-error.ts';

/** A time bucket of a report, and a page of them. */
export interface Bucket {
  startMs: number;
  endMs: number;
}

export interface BucketPage {
  buckets: Bucket[];
  nextPage: string | null;
}

const WIDTHS_MS: Readonly<Record<string, number>> = { '1m': 60_000, '1h': 3_600_000, '1d': 86_400_000 };

/** Cuts a time into buckets at whole minutes, hours or days in UTC, and returns those of a page. */
export function bucketPage({
  cursor,
  endMs,
  limit,
  startMs,
  width,
}: {
  startMs: number;
  endMs: number;
  width: string;
  limit: number;
  cursor: string | null;
}): BucketPage {
  const widthMs = WIDTHS_MS[width];
  if (widthMs === undefined || Number.isNaN(startMs) || Number.isNaN(endMs) || Number.isNaN(limit))
    throw new ProviderError(400, 'Invalid value for a time, bucket_width or limit.');
  const first =
    cursor === null ? Math.floor(startMs / widthMs) * widthMs : Number(cursor.replace(/^page_/, ''));
  if (!Number.isInteger(first)) throw new ProviderError(400, `Invalid page: ${cursor}`);
  const buckets: Bucket[] = [];
  let at = first;
  for (; at < endMs && buckets.length < limit; at += widthMs)
    buckets.push({ startMs: at, endMs: at + widthMs });
  return { buckets, nextPage: at < endMs ? `page_${at}` : null };
}

import { Prisma } from '@model-gateway/database';
import { arrivalAt, arrivalOf } from '@model-gateway/shared';

/** A record that has an arrival was settled so soon after it (settle_records). */
const SETTLED_WITHIN_MS = 2 * 86_400_000;
/** The clocks of data planes and of the database differ. */
const CLOCK_SKEW_MS = 3_600_000;

/**
 * Finds one usage record, under the name r. Without its arrival, Postgres would look into the partition of each
 * day that is kept. Some records have none.
 */
export function isRequest(requestId: string): Prisma.Sql {
  return Prisma.sql`r.request_id = ${requestId} AND r.arrival IN ('', ${arrivalOf(requestId)})`;
}

/** The same for several. */
export function areRequests(requestIds: readonly string[]): Prisma.Sql {
  const arrivals = requestIds.map(arrivalOf).toSorted((a, b) => (a < b ? -1 : 1));
  return Prisma.sql`r.request_id = ANY(${[...requestIds]}::text[])
    AND (r.arrival = '' OR r.arrival BETWEEN ${arrivals[0]} AND ${arrivals.at(-1)})`;
}

/** A condition on usage records, under the name r: they are in the partitions of what ended in this time. */
export function arrivedFor({ startMs, endMs }: { startMs: number; endMs: number }): Prisma.Sql {
  const first = startMs - SETTLED_WITHIN_MS - CLOCK_SKEW_MS;
  return Prisma.sql`(r.arrival = '' OR (
    r.arrival >= ${arrival(first)} AND r.arrival < ${arrival(endMs + CLOCK_SKEW_MS)}
  ))`;
}

/** The same of what was settled since. */
export function settledSince(ms: number): Prisma.Sql {
  return Prisma.sql`(r.arrival = '' OR r.arrival >= ${arrival(ms - SETTLED_WITHIN_MS)})`;
}

function arrival(ms: number): string {
  return arrivalAt(Math.max(ms, 0));
}

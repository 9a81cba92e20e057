import { Prisma } from '@model-gateway/database';
import { arrivalAt, arrivalOf } from '@model-gateway/shared';

/** Records with an arrival were settled within this time after it (settle_usage). */
const SETTLED_WITHIN_MS = 2 * 86_400_000;
/** Clocks of data planes and database differ. */
const CLOCK_SKEW_MS = 3_600_000;

/** Matches one usage record `r`. With its arrival, Postgres reads one partition; some records have none. */
export function isRequest(requestId: string): Prisma.Sql {
  return Prisma.sql`r.request_id = ${requestId} AND r.arrival IN ('', ${arrivalOf(requestId)})`;
}

export function areRequests(requestIds: readonly string[]): Prisma.Sql {
  const arrivals = requestIds.map(arrivalOf).toSorted((a, b) => (a < b ? -1 : 1));
  return Prisma.sql`r.request_id = ANY(${[...requestIds]}::text[])
    AND (r.arrival = '' OR r.arrival BETWEEN ${arrivals[0]} AND ${arrivals.at(-1)})`;
}

/** Matches usage records `r` in the partitions for requests that ended in this period. */
export function arrivedFor({ startMs, endMs }: { startMs: number; endMs: number }): Prisma.Sql {
  const first = startMs - SETTLED_WITHIN_MS - CLOCK_SKEW_MS;
  return Prisma.sql`(r.arrival = '' OR (
    r.arrival >= ${arrival(first)} AND r.arrival < ${arrival(endMs + CLOCK_SKEW_MS)}
  ))`;
}

/** Matches usage records `r` settled since. */
export function settledSince(ms: number): Prisma.Sql {
  return Prisma.sql`(r.arrival = '' OR r.arrival >= ${arrival(ms - SETTLED_WITHIN_MS)})`;
}

function arrival(ms: number): string {
  return arrivalAt(Math.max(ms, 0));
}

import { Prisma } from '@model-gateway/database';
import { arrivalAt, arrivalOf } from '@model-gateway/shared';

/**
 * How long a request may take, for the purpose of finding it by the time when it ended: the lists of requests
 * leave out what has run for longer.
 */
const LONGEST_MS = 2 * 86_400_000;
/** The clocks of data planes differ. */
const CLOCK_SKEW_MS = 3_600_000;

/**
 * Finds one usage record, under the name r. Without its arrival, Postgres would look into the partition of each
 * day that is kept. Records from before there were partitions have none.
 */
export function isRequest(requestId: string): Prisma.Sql {
  return Prisma.sql`r.request_id = ${requestId} AND r.arrival IN ('', ${arrivalOf(requestId)})`;
}

/** A condition on usage records, under the name r: they are in the partitions of what ended in this time. */
export function arrivedFor({ startMs, endMs }: { startMs: number; endMs: number }): Prisma.Sql {
  const first = arrivalAt(Math.max(startMs - LONGEST_MS, 0));
  return Prisma.sql`(r.arrival = '' OR (
    r.arrival >= ${first} AND r.arrival < ${arrivalAt(Math.max(endMs + CLOCK_SKEW_MS, 0))}
  ))`;
}

/** The same for what was settled since, as far as it had arrived no earlier than a day before. */
export function arrivedSince(ms: number): Prisma.Sql {
  return Prisma.sql`(r.arrival = '' OR r.arrival >= ${arrivalAt(ms)})`;
}

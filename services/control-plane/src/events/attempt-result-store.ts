import { Prisma } from '@model-gateway/database';
import { type Attempt, KEPT_ATTEMPTS } from './delivery-attempt.ts';

/**
 * Returns SQL that sets the columns of a delivery after a successful attempt. One that is due again, because
 * it was redelivered during the attempt, stays due.
 */
export function deliveredColumns(claimedUntil: Date, made: Attempt): Prisma.Sql {
  return Prisma.sql`
    state = CASE WHEN due_at <> ${claimedUntil} THEN state ELSE 'delivered' END,
    due_at = nullif(due_at, ${claimedUntil}), attempts = ${withAttempt(made)}`;
}

/**
 * Returns SQL that sets the columns of a delivery after a failed attempt.
 * @param retryMs null: none follows
 */
export function failedColumns(made: Attempt, retryMs: number | null): Prisma.Sql {
  const seconds = retryMs === null ? null : retryMs / 1_000;
  return Prisma.sql`
    tries = tries + 1, attempts = ${withAttempt(made)},
    state = CASE WHEN ${seconds}::float8 IS NULL THEN 'failed' ELSE 'pending' END,
    due_at = now() + make_interval(secs => ${seconds}::float8)`;
}

/** Returns the attempts of a row with one more, and without the oldest of too many. */
function withAttempt(made: Attempt): Prisma.Sql {
  return Prisma.sql`
    jsonb_path_query_array(attempts, ${`$[last-${KEPT_ATTEMPTS - 2} to last]`}::jsonpath)
      || jsonb_build_array(${JSON.stringify(made)}::jsonb)`;
}

import { Prisma } from '@model-gateway/database';
import { UNITS } from '@model-gateway/shared';
import { settledSince } from '../partitions/arrival-store.ts';

/** No settlement is pending for longer, unless summing up fails for as long. */
const PENDING_MS = 86_400_000;

const UNIT_COLUMNS = UNITS.map(({ column }) => column).join(', ');

/** The columns that usage is read by, of usage_rollups under the name r. */
export const SUMMED_COLUMNS = Prisma.raw(
  `r.account_id, r.seat_id, r.bucket, r.key_id, r.model_id, r.capability, r.requests, ${UNIT_COLUMNS}, r.charged`,
);

/**
 * Selects the same columns of the records that no sum contains yet, so that usage is as new as the records
 * are, although it is summed up once a minute only (RollUps). Sums and records are read in one statement, so
 * that each record is in exactly one of them.
 *
 * There are few such records, and all of them ended lately: that is how they are found.
 * @param conditions on usage_records, under the name r, among them their account
 * @param width of the buckets in seconds; undefined: the bucket of a record is the time when it ended
 */
export function pendingUsage(conditions: Prisma.Sql, width?: number): Prisma.Sql {
  const bucket =
    width === undefined
      ? Prisma.sql`r.ended_at`
      : Prisma.sql`date_bin(make_interval(secs => ${width}), r.ended_at, 'epoch')`;
  return Prisma.sql`
    SELECT ${columns(bucket)}
    FROM usage_records r
    WHERE ${conditions} AND ${settledSince(Date.now() - PENDING_MS)}
      AND r.ended_at >= (SELECT min(first_ended_at) FROM pending_settlements)
      AND r.settlement IN (SELECT number FROM pending_settlements)`;
}

/** The same of all accounts. These records are found by their ids, because no index has them in order of time. */
export function pendingUsageOfAll(conditions: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT ${columns(Prisma.sql`r.ended_at`)}
    FROM pending_settlements, unnest(request_ids) AS pending (request_id), LATERAL (
      SELECT * FROM usage_records r
      WHERE r.request_id = pending.request_id AND r.arrival IN ('', arrival_of(pending.request_id)) LIMIT 1
    ) AS r
    WHERE ${conditions}`;
}

function columns(bucket: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`r.account_id, coalesce(r.seat_id, '') AS seat_id, ${bucket} AS bucket, r.key_id, r.model_id,
    r.capability, 1::bigint AS requests, ${Prisma.raw(UNIT_COLUMNS)}, r.charged`;
}

/** A condition on usage records, under the name r: they ended in this period, in Unix seconds. */
export function endedIn({ start, end }: { start: number; end: number }): Prisma.Sql {
  return Prisma.sql`
    r.ended_at >= ${new Date(start * 1_000)}::timestamptz AND r.ended_at < ${new Date(end * 1_000)}::timestamptz`;
}

/** The same for the current calendar month (UTC). */
export const ENDED_THIS_MONTH = Prisma.sql`r.ended_at >= date_trunc('month', now(), 'UTC')`;

import { Prisma } from '@model-gateway/database';
import { UNITS } from '@model-gateway/shared';
import { settledSince } from '../partitions/arrival-store.ts';

/** No settlement is pending for longer, unless summing up fails for as long. */
const PENDING_MS = 86_400_000;

/** A record has the same columns as the sums of usage. */
const RECORDS = Prisma.raw(`(
  SELECT request_id, arrival, settlement, account_id, coalesce(seat_id, '') AS seat_id, ended_at AS bucket, key_id,
    model_id, capability, 1::bigint AS requests, ${UNITS.map(({ column }) => column).join(', ')}, charged
  FROM usage_records
)`);

/**
 * Selects the records that no sum contains yet, so that usage is as new as the records are, although it is
 * summed up once a minute only (RollUps). Sums and records are read in one statement, so that each record is in
 * exactly one of them. The bucket of a record is the time when it ended.
 *
 * There are few such records, and all of them ended lately: that is how they are found.
 * @param conditions on them, under the name r, among them their account
 */
export function pendingUsage(conditions: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT r.* FROM ${RECORDS} AS r
    WHERE ${conditions} AND ${settledSince(Date.now() - PENDING_MS)}
      AND r.bucket >= (SELECT min(first_ended_at) FROM pending_settlements)
      AND r.settlement IN (SELECT number FROM pending_settlements)`;
}

/** The same of all accounts. These records are found by their ids, because no index has them in order of time. */
export function pendingUsageOfAll(conditions: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT r.*
    FROM pending_settlements, unnest(request_ids) AS pending (request_id), LATERAL (
      SELECT * FROM ${RECORDS} AS found
      WHERE found.request_id = pending.request_id AND found.arrival IN ('', arrival_of(pending.request_id)) LIMIT 1
    ) AS r
    WHERE ${conditions}`;
}

import { Prisma } from '@model-gateway/database';
import { UNITS } from '@model-gateway/shared';
import { settledSince } from '../partitions/arrival-store.ts';

/** Records stay pending for longer only when summing up fails for as long. */
const PENDING_MS = 86_400_000;

/** Usage records in the form of sums, with their labels. */
export const RECORDS = Prisma.raw(`(
  SELECT request_id, arrival, settlement, account_id, coalesce(seat_id, '') AS seat_id, ended_at AS bucket, key_id,
    model_id, capability, 1::bigint AS requests, ${UNITS.map(({ column }) => column).join(', ')}, charged,
    coalesce(provider_cost, cost) + coalesce(attempts_cost, 0) AS provider_cost, tags, end_user, session
  FROM usage_records
)`);

/**
 * Selects records that no sum contains yet, so that usage is current although summed once a minute (RollUps).
 * Read together with the sums, so that each record counts once. Found by end time, because all are recent.
 * @param conditions on `r`, including the account
 */
export function pendingUsage(conditions: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT r.* FROM ${RECORDS} AS r
    WHERE ${conditions} AND ${settledSince(Date.now() - PENDING_MS)}
      AND r.bucket >= (SELECT min(first_ended_at) FROM pending_settlements)
      AND r.settlement IN (SELECT number FROM pending_settlements)`;
}

/** Does the same for all accounts. Finds records by id: no index orders those of all accounts by time. */
export function pendingUsageOfAll(conditions: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT r.*
    FROM pending_settlements, unnest(request_ids) AS pending (request_id), LATERAL (
      SELECT * FROM ${RECORDS} AS found
      WHERE found.request_id = pending.request_id AND found.arrival IN ('', arrival_of(pending.request_id)) LIMIT 1
    ) AS r
    WHERE ${conditions}`;
}

import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';

/** Days after which contents are deleted at the latest. */
const MAX_DAYS = 30;

const requestRows = z.array(z.object({ id: z.string() }));

/**
 * Returns the requests of an end user that may have contents. None is older than the first day with its id in
 * the sums, or than the oldest settlement that is not in the sums yet.
 */
export async function requestsWithContentsOf(
  transaction: Transaction,
  { accountId, endUser }: { accountId: string; endUser: string },
): Promise<string[]> {
  const rows = await queryRows(transaction, requestRows)`
    SELECT request_id AS id FROM usage_records
    WHERE account_id = ${accountId} AND end_user = ${endUser} AND ended_at >= greatest(
      (SELECT least(min(bucket), (SELECT min(first_ended_at) FROM pending_settlements)) FROM usage_label_days
        WHERE account_id = ${accountId} AND label = 'end_user' AND value IN (${endUser}, '')),
      now() - make_interval(days => ${MAX_DAYS + 1})
    ) AND EXISTS (SELECT FROM contents_keys WHERE account_id = ${accountId})`;
  return rows.map(({ id }) => id);
}

export async function deleteContentsOfRequests(
  transaction: Transaction,
  accountId: string,
  requestIds: readonly string[],
): Promise<void> {
  await transaction.$executeRaw`
    WITH keys AS MATERIALIZED (
      SELECT id FROM contents_keys WHERE account_id = ${accountId} ORDER BY id FOR NO KEY UPDATE
    ), gone AS (
      DELETE FROM request_contents c USING keys
      WHERE c.key_id = keys.id AND c.request_id = ANY(${[...requestIds]}::text[])
      RETURNING c.key_id, octet_length(c.sealed) AS bytes
    )
    UPDATE contents_keys k SET stored_bytes = greatest(0, stored_bytes - g.bytes)
    FROM (SELECT key_id, sum(bytes) AS bytes FROM gone GROUP BY key_id) AS g WHERE k.id = g.key_id`;
}

import { WEEK_DAYS } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { ownerAddresses } from '../events/owner-addresses-store.ts';

const owners = z.array(
  z.object({
    /** As budgets and pools have it, such as `key:key_1`. */
    owner: z.string(),
    ownerName: z.string(),
    accountId: z.string(),
    timezone: z.string(),
    weekStarts: z.enum(WEEK_DAYS),
    /** Addresses of the account's owners; empty if they want no mail of thresholds. */
    mailTo: z.array(z.string()),
  }),
);
export type ThresholdOwner = z.infer<typeof owners>[number];

/**
 * Returns the accounts that are told of budgets and pools of these owners: for teams and seats, the account
 * that owns the team. Leaves out owners that no longer exist.
 */
export async function findThresholdOwners(
  transaction: Transaction,
  ids: readonly string[],
): Promise<Map<string, ThresholdOwner>> {
  if (ids.length === 0) return new Map();
  const rows = await queryRows(transaction, owners)`
    WITH given AS (
      SELECT owner, split_part(owner, ':', 1) AS kind, substr(owner, strpos(owner, ':') + 1) AS id
      FROM (SELECT DISTINCT unnest(${[...ids]}::text[]) AS owner) AS distinct_ones
    ), found AS (
      SELECT owner, k.account_id, k.name FROM given JOIN api_keys k ON given.kind = 'key' AND k.id = given.id
      UNION ALL
      SELECT owner, t.owner_account_id, t.name FROM given JOIN teams t ON given.kind = 'team' AND t.id = given.id
      UNION ALL
      SELECT owner, t.owner_account_id, holder.email || ' in ' || t.name
      FROM given JOIN seats s ON given.kind = 'seat' AND s.id = given.id
      JOIN teams t ON t.id = s.team_id JOIN accounts holder ON holder.id = s.account_id
      UNION ALL
      SELECT owner, a.id, a.name FROM given JOIN accounts a ON given.kind IN ('account', 'end_users') AND a.id = given.id
      UNION ALL
      SELECT owner, a.id, substr(given.id, strpos(given.id, '/') + 1)
      FROM given JOIN accounts a ON given.kind = 'end_user' AND a.id = split_part(given.id, '/', 1)
    )
    SELECT f.owner, f.name AS "ownerName", a.id AS "accountId", a.timezone, a.week_starts AS "weekStarts",
      CASE WHEN a.threshold_mails THEN ${ownerAddresses()} ELSE '{}' END AS "mailTo"
    FROM found f JOIN accounts a ON a.id = f.account_id
    WHERE a.deleted_at IS NULL`;
  return new Map(rows.map((row) => [row.owner, row]));
}

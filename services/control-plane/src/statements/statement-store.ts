import { Prisma } from '@model-gateway/database';
import { encodeLevel } from '@model-gateway/shared';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { type Piece, selectUsage } from '../roll-ups/usage-sums-store.ts';

const rows = z.array(
  z.object({
    /** entry: a sum of the ledger; usage: a sum of requests. */
    row: z.enum(['entry', 'usage']),
    kind: z.string(),
    /** The time of an entry. */
    period: z.enum(['before', 'month', 'after']),
    /** The pool of an entry, if it ever was unlimited; empty: all others together. */
    poolId: z.string(),
    /** The id of the entry that made this pool unlimited or limited; 0: none yet. */
    since: z.bigint(),
    unlimited: z.boolean(),
    /** This is the entry that made its pool unlimited or limited. */
    isTurn: z.boolean(),
    /** A key, or a seat of another account; only for usage. */
    keyId: z.string(),
    keyName: z.string(),
    teamId: z.string().nullable(),
    teamName: z.string().nullable(),
    modelId: z.string(),
    requests: z.bigint(),
    /** Nano-USD: of an entry negative for charges, of usage what was charged. */
    amount: z.bigint(),
  }),
);
export type StatementRow = z.infer<typeof rows>[number];

export class StatementStore extends ReadingStore {
  /** Reads the ledger and the usage in one statement, so that they agree. @param month days of a month */
  async read(accountId: string, month: Piece, signal: AbortSignal): Promise<StatementRow[]> {
    const from = new Date(month.start * 1_000);
    const until = new Date(month.end * 1_000);
    const usage = selectUsage({ pieces: [month], where: ofPayer(accountId), byKey: true });
    return await this.query(rows, signal)`
      WITH owned AS NOT MATERIALIZED (
        SELECT entry.* FROM ledger_entries entry JOIN pools pool ON pool.id = entry.pool_id
        WHERE pool.owner IN (${ownersOf(accountId)})
      ), included AS (
        -- Only an unlimited pool is added with 0, or changed to it.
        SELECT pool_id, id, kind <> 'moved' AND sum(amount) OVER (PARTITION BY pool_id ORDER BY id) = 0 AS unlimited
        FROM owned WHERE kind IN ('included', 'changed', 'moved')
      ), compared AS (
        SELECT *, lag(unlimited, 1, false) OVER (PARTITION BY pool_id ORDER BY id) AS before FROM included
      ), turn AS (
        SELECT pool_id, id, lead(id) OVER (PARTITION BY pool_id ORDER BY id) AS next, unlimited
        FROM compared WHERE unlimited <> before
      )
      SELECT 'entry' AS "row", entry.kind, period, counted.pool AS "poolId", coalesce(turn.id, 0) AS since,
        coalesce(turn.unlimited, false) AS unlimited, coalesce(turn.id = entry.id, false) AS "isTurn",
        '' AS "keyId", '' AS "keyName", NULL AS "teamId", NULL AS "teamName", '' AS "modelId",
        0::bigint AS requests, sum(entry.amount)::bigint AS amount
      FROM owned entry
      LEFT JOIN turn ON turn.pool_id = entry.pool_id AND entry.id >= turn.id
        AND entry.id < coalesce(turn.next, entry.id + 1)
      CROSS JOIN LATERAL (
        SELECT CASE
          WHEN entry.created_at < ${from} THEN 'before' WHEN entry.created_at < ${until} THEN 'month' ELSE 'after'
        END AS period, CASE WHEN entry.pool_id IN (SELECT pool_id FROM turn) THEN entry.pool_id ELSE '' END AS pool
      ) AS counted
      GROUP BY 2, 3, 4, 5, 6, 7
      UNION ALL
      SELECT 'usage', '', 'month', '', 0, false, false, who.id, who.name, who.team_id, who.team_name, used.model_id,
        sum(used.requests)::bigint, sum(used.charged)::bigint
      FROM (
        SELECT r.account_id, r.seat_id, r.key_id, r.model_id, sum(r.requests) AS requests,
          sum(r.charged) AS charged
        FROM (${usage}) AS r GROUP BY 1, 2, 3, 4
      ) AS used
      LEFT JOIN api_keys key ON key.id = used.key_id
      LEFT JOIN seats seat ON seat.id = used.seat_id
      LEFT JOIN teams team ON team.id = seat.team_id
      LEFT JOIN accounts holder ON holder.id = used.account_id,
      LATERAL (
        SELECT team.id AS team_id, team.name AS team_name,
          CASE
            WHEN used.account_id <> ${accountId} THEN used.seat_id
            WHEN key.id IS NULL OR key.kind = 'playground' THEN 'playground'
            ELSE key.id
          END AS id,
          CASE
            WHEN used.account_id <> ${accountId}
            THEN CASE WHEN holder.deleted_at IS NULL THEN holder.email END
            WHEN key.id IS NULL OR key.kind = 'playground' THEN 'Playground'
            ELSE key.name
          END AS name_or_null
      ) AS known,
      LATERAL (SELECT known.*, coalesce(known.name_or_null, 'Deleted account') AS name) AS who
      WHERE used.requests <> 0 OR used.charged <> 0
      GROUP BY who.id, who.name, who.team_id, who.team_name, used.model_id`;
  }
}

function teamsOf(accountId: string): Prisma.Sql {
  return Prisma.sql`SELECT t.id FROM teams t WHERE t.owner_account_id = ${accountId}`;
}

function ownersOf(accountId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT ${encodeLevel({ kind: 'account', id: accountId })}
    UNION ALL SELECT 'team:' || id FROM teams WHERE id IN (${teamsOf(accountId)})
    UNION ALL SELECT 'seat:' || id FROM seats WHERE team_id IN (${teamsOf(accountId)})`;
}

/**
 * Matches usage `r` that pools of the account pay for: its own outside of seats, and that of its teams'
 * seats. Names the accounts that had these seats (also before they were moved), because sums are by account.
 */
function ofPayer(accountId: string): Prisma.Sql {
  const seats = Prisma.sql`SELECT s.id FROM seats s WHERE s.team_id IN (${teamsOf(accountId)})`;
  return Prisma.sql`(r.account_id, r.seat_id) IN (
    SELECT ${accountId}::text, ''
    UNION SELECT s.account_id, s.id FROM seats s WHERE s.id IN (${seats})
    UNION SELECT k.account_id, k.seat_id FROM api_keys k WHERE k.seat_id IN (${seats})
  )`;
}

import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';

/** Transactions that began earlier have ended, so what they changed is seen. */
const OVERLAP_MS = 30_000;

const common = {
  /** As in the reported states. */
  id: z.string(),
  owner: z.string(),
  /** Nano-USD, like `spent`. */
  limit: z.bigint(),
  spent: z.bigint(),
  /** 0, or the highest threshold that is reached, in percent. */
  reached: z.int(),
  /** The highest one that was reported; 0: none. */
  reported: z.int(),
};
const active = z.tuple([z.object({ owners: z.array(z.string()), windows: z.array(z.string()) })]);
const budgets = z.array(
  z.object({
    ...common,
    budgetId: z.string(),
    window: z.string(),
    warns: z.boolean(),
    createdAt: z.date(),
  }),
);
const pools = z.array(z.object({ ...common, name: z.string(), resetsAt: z.date().nullable() }));
export type BudgetAtThreshold = z.infer<typeof budgets>[number];
export type PoolAtThreshold = z.infer<typeof pools>[number];

export interface AtThreshold {
  budgets: BudgetAtThreshold[];
  pools: PoolAtThreshold[];
}

/**
 * Finds budgets and pools whose state differs from what was last reported, among those of allowances that
 * were used since then: only these have changed. Money is spent through allowances alone, each change of one
 * notes the time, and few are open at once.
 */
export async function findAtThreshold(transaction: Transaction, since: Date): Promise<AtThreshold> {
  const from = new Date(since.getTime() - OVERLAP_MS);
  // Apart from the queries below: Postgres would expect more rows, and read all budgets and pools.
  const [{ owners, windows }] = await queryRows(transaction, active)`
    WITH used AS MATERIALIZED (
      SELECT payer, budgets FROM allowances
      WHERE (closed_at IS NULL OR closed_at > ${from}::timestamptz) AND used_at > ${from}::timestamptz
    )
    SELECT ARRAY(SELECT DISTINCT unnest(payer) FROM used) AS owners,
      ARRAY(SELECT DISTINCT unnest(budgets) FROM used) AS windows`;
  return {
    budgets: await queryRows(transaction, budgets)`
      SELECT * FROM (
        SELECT w.id, b.id AS "budgetId", b.owner, b."window", b.warns, b.size AS "limit", w.spent,
          w.created_at AS "createdAt", ${reached(
            Prisma.sql`w.spent`,
            Prisma.sql`b.size`,
            Prisma.sql`NOT b.warns AND w.exceeded_at > s.reported_at`,
          )} AS reached,
          coalesce(s.level, 0) AS reported, s.amount
        FROM budget_windows w
        JOIN (SELECT *, budget_limit(budgets) AS size FROM budgets) AS b ON b.id = w.budget_id
        LEFT JOIN reported_states s ON s.kind = 'budget' AND s.id = w.id
        WHERE w.id = ANY(${windows}::text[]) AND b.size > 0
      ) AS found
      WHERE reached > reported OR amount <> "limit"
      ORDER BY id`,
    pools: await queryRows(transaction, pools)`
      SELECT * FROM (
        SELECT p.id, p.name, p.owner, p.included AS "limit", p.charged AS spent,
          p.resets_at AS "resetsAt", ${reached(
            Prisma.sql`p.charged`,
            Prisma.sql`p.included`,
            Prisma.sql`p.refused_at > s.reported_at`,
          )} AS reached,
          coalesce(s.level, 0) AS reported, s.amount
        FROM pools p
        -- After a reset, thresholds count anew.
        LEFT JOIN reported_states s
          ON s.kind = 'pool' AND s.id = p.id AND s.period IS NOT DISTINCT FROM p.resets_at
        WHERE p.owner = ANY(${owners}::text[]) AND p.removed_at IS NULL AND NOT p.unlimited AND p.included > 0
      ) AS found
      WHERE (reached > reported OR amount <> "limit") AND NOT (
        -- Nobody pays with the pool of made-up usage.
        starts_with(owner, 'account:') AND EXISTS (
          SELECT FROM api_keys k WHERE k.account_id = substr(owner, 9) AND k.kind = 'demo')
      )
      ORDER BY id`,
  };
}

/**
 * Thresholds of packages/shared/src/events. A budget or pool is hardly ever spent to the last cent: it is
 * used up as well when it refuses a request after 80 % was reported.
 * @param refuses true: it has refused one since its last report
 */
function reached(spent: Prisma.Sql, limit: Prisma.Sql, refuses: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE
    WHEN ${spent} >= ${limit} OR ${refuses} AND s.level = 80 AND s.amount = ${limit} THEN 100
    WHEN ${spent}::numeric * 100 >= ${limit}::numeric * 80 THEN 80
    WHEN ${spent}::numeric * 100 >= ${limit}::numeric * 50 THEN 50
    ELSE 0
  END`;
}

/**
 * Lets only refusals from now on count. They are noted once. Call it last in a transaction: requests wait for
 * these locks.
 */
export async function forgetRefusals(
  transaction: Transaction,
  { budgets, pools }: { budgets: readonly string[]; pools: readonly string[] },
): Promise<void> {
  if (budgets.length > 0)
    await transaction.$executeRaw`
      WITH locked AS (
        SELECT w.id FROM budget_windows w JOIN budgets b ON b.id = w.budget_id
        WHERE w.id = ANY(${[...budgets]}::text[]) AND NOT b.warns AND w.exceeded_at IS NOT NULL
        ORDER BY w.id FOR NO KEY UPDATE OF w
      )
      UPDATE budget_windows w SET exceeded_at = NULL FROM locked WHERE w.id = locked.id`;
  if (pools.length > 0)
    await transaction.$executeRaw`
      WITH locked AS (
        SELECT id FROM pools WHERE id = ANY(${[...pools]}::text[]) AND refused_at IS NOT NULL
        ORDER BY id FOR NO KEY UPDATE
      )
      UPDATE pools p SET refused_at = NULL FROM locked WHERE p.id = locked.id`;
}

import { z } from 'zod';
import { openSql } from './open-sql.ts';

const poolBooks = z.object({
  id: z.string(),
  included: z.bigint(),
  remaining: z.bigint(),
  held: z.bigint(),
  charged: z.bigint(),
  /** Sum of its ledger entries. */
  ledger: z.bigint(),
  /** Sum of what allowances hold of it. */
  inAllowances: z.bigint(),
});

/** What the database says of a pool, in nano-USD. */
export type PoolBooks = z.infer<typeof poolBooks>;

/** The money of a test gateway, read past its control planes on a connection of its own. */
export interface Books extends AsyncDisposable {
  /** All pools in one snapshot, oldest first. */
  pools(): Promise<PoolBooks[]>;
  /** The rows that a query finds; bigints for int8. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

export function openBooks(databaseUrl: string): Books {
  const sql = openSql(databaseUrl);
  const query = async (statement: string, values: readonly unknown[] = []) =>
    z.array(z.record(z.string(), z.unknown())).parse(await sql.rows(statement, ...values));
  return {
    query,
    pools: async () =>
      z.array(poolBooks).parse(
        await query(
          `SELECT id, included, remaining, held, charged,
             (SELECT coalesce(sum(amount), 0)::bigint FROM ledger_entries WHERE pool_id = pools.id) AS ledger,
             (SELECT coalesce(sum(part.held), 0)::bigint FROM allowance_parts part WHERE pool_id = pools.id)
               AS "inAllowances"
           FROM pools ORDER BY created_at, id`,
        ),
      ),
    [Symbol.asyncDispose]: () => sql[Symbol.asyncDispose](),
  };
}

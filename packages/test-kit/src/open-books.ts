import { z } from 'zod';
import { openSql } from './open-sql.ts';
import { until } from './until.ts';

const poolBooks = z.object({
  id: z.string(),
  included: z.bigint(),
  remaining: z.bigint(),
  held: z.bigint(),
  charged: z.bigint(),
  /** The sum of its ledger entries. */
  ledger: z.bigint(),
  /** The sum of what allowances hold of it. */
  inAllowances: z.bigint(),
});

/** A pool in the database, in nano-USD. */
export type PoolBooks = z.infer<typeof poolBooks>;

/** Reads the money of a test gateway on a connection of its own, not through its control planes. */
export interface Books extends AsyncDisposable {
  /** Returns all pools in one snapshot, the oldest first. */
  pools(): Promise<PoolBooks[]>;
  /** Returns the rows that a query finds, with bigints for int8. */
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

/** Returns the usage record of a request, once it is stored. */
export async function usageOf(books: Books, requestId: string): Promise<Record<string, unknown>> {
  let row: Record<string, unknown> | undefined;
  await until(async () => {
    [row] = await books.query('SELECT * FROM usage_records WHERE request_id = $1', [requestId]);
    return row !== undefined;
  });
  if (row === undefined) throw new Error('the usage record disappeared');
  return row;
}

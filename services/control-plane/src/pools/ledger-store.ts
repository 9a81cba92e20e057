import { cancelBackend } from '@model-gateway/database';
import { Client } from 'pg';
import { z } from 'zod';
import { LEDGER_CHECKS } from './ledger-checks-store.ts';

/** The checks sum up many millions of usage records. */
const STATEMENT_TIMEOUT = '10min';

const count = z.string().transform(BigInt);
const counts = z.tuple([z.object({ pools: count, usageRecords: count, ledgerEntries: count })]);
type LedgerCounts = z.infer<typeof counts>[0];

const disagreements = z.array(
  z.object({
    /** pool, allowance, budget, usage_record, settlement, usage_rollup or usage_checkpoint */
    kind: z.string(),
    id: z.string(),
    problem: z.string(),
  }),
);
export type Disagreement = z.infer<typeof disagreements>[number];

/** Consistent view of all money. */
interface LedgerSnapshot extends AsyncDisposable {
  checks: readonly ((limit: number) => Promise<Disagreement[]>)[];
  counts(): Promise<LedgerCounts>;
}

export class LedgerStore {
  readonly #databaseUrl: string;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /**
   * Uses its own connection, because it runs longer than queries may.
   * @param signal cancels the running query
   */
  async snapshot(signal: AbortSignal): Promise<LedgerSnapshot> {
    await using stack = new AsyncDisposableStack();
    const client = new Client({ connectionString: this.#databaseUrl, connectionTimeoutMillis: 5_000 });
    // The failing query reports a lost connection.
    client.on('error', () => undefined);
    await client.connect();
    stack.defer(() => client.end());
    const cancel = () => void cancelBackend(this.#databaseUrl, client);
    signal.addEventListener('abort', cancel, { once: true });
    stack.defer(() => signal.removeEventListener('abort', cancel));
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    const owned = stack.move();
    return {
      checks: LEDGER_CHECKS.map((sql) => async (limit) => {
        signal.throwIfAborted();
        const found = await client.query(`${sql} LIMIT $1`, [limit]);
        return disagreements.parse(found.rows);
      }),
      async counts() {
        const { rows } = await client.query(`
          SELECT (SELECT count(*) FROM pools) AS pools,
            (SELECT count(*) FROM usage_records) AS "usageRecords",
            (SELECT count(*) FROM ledger_entries) AS "ledgerEntries"`);
        return counts.parse(rows)[0];
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  }
}

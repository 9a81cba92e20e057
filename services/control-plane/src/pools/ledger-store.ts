import { z } from 'zod';
import { openSnapshot } from '../database/read-snapshot-store.ts';
import { BALANCE_CHECKS, LEDGER_CHECKS } from './ledger-checks-store.ts';

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

export type LedgerPart = 'balances' | 'all';

export class LedgerStore {
  readonly #databaseUrl: string;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /**
   * Uses its own connection, because it runs longer than queries may.
   * @param signal cancels the running query
   * @param which `balances`: without the checks that read records
   */
  async snapshot(signal: AbortSignal, which: LedgerPart = 'all'): Promise<LedgerSnapshot> {
    const snapshot = await openSnapshot(this.#databaseUrl, signal);
    return {
      checks: (which === 'all' ? LEDGER_CHECKS : BALANCE_CHECKS).map((sql) => async (limit) => {
        return disagreements.parse(await snapshot.query(`${sql} LIMIT $1`, [limit]));
      }),
      async counts() {
        const rows = await snapshot.query(`
          SELECT (SELECT count(*) FROM pools) AS pools,
            (SELECT count(*) FROM usage_records) AS "usageRecords",
            (SELECT count(*) FROM ledger_entries) AS "ledgerEntries"`);
        return counts.parse(rows)[0];
      },
      [Symbol.asyncDispose]: () => snapshot[Symbol.asyncDispose](),
    };
  }
}

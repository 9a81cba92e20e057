import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  applyMigrations,
  createPrismaClient,
  ReadingPool,
  type SettledRecord,
  settledColumns,
} from '@model-gateway/database';
import { createEmptyDatabase } from '@model-gateway/test-kit/test-database';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { settledEvents } from '../../src/event-checks/settled-events.ts';
import { LedgerStore } from '../../src/pools/ledger-store.ts';
import { RollUpStore } from '../../src/roll-ups/roll-up-store.ts';
import { getUsageReport } from '../../src/usage/get-usage-report.ts';
import { receiptMessage } from '../../src/usage/receipt-message.ts';
import { UsageReportStore } from '../../src/usage/usage-report-store.ts';
import { UsageStore } from '../../src/usage/usage-store.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../../prisma/migrations');
/** The first one that knows the cost at the provider. */
const PRICE_LISTS = '20261229000000_price_lists';
/** Nano-USD; the later requests find an empty pool. */
const INCLUDED = 150_000;
const { signal } = new AbortController();

/** Migrates a database to the schema of the release before price lists. */
async function migrateToPrevious(url: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-migrations-'));
  try {
    for (const name of await readdir(MIGRATIONS))
      if (name < PRICE_LISTS) await cp(join(MIGRATIONS, name), join(folder, name), { recursive: true });
    await applyMigrations(url, { folder });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Settles as the release before price lists did: without the last four parameters of settle_usage. */
async function settleAsPrevious(client: Client, rows: readonly SettledRecord[]): Promise<void> {
  const columns = settledColumns(rows).slice(0, -4);
  const parameters = columns.map(({ type }, index) => `$${index + 1}::${type}`);
  await client.query(
    `SELECT settle_requests(${parameters.join(', ')}, false)`,
    columns.map(({ literal }) => literal),
  );
}

const minuteMs = Math.floor(Date.now() / 60_000) * 60_000;
const rowsOf = (count: number, agoMs: number, more: Partial<SettledRecord> = {}) =>
  Array.from({ length: count }, (_, index) =>
    usageRow({
      ...{ accountId: 'acct_old', keyId: `key_${index % 3}`, modelId: `sim/${index % 2}` },
      ...{ cost: String(1_000 + index), tags: { project: `p${index % 2}` } },
      attempts: [{ providerId: 'sim', httpStatus: 200, errorCode: null, durationMs: 9 }],
      endedAt: new Date(minuteMs - agoMs).toISOString(),
      ...more,
    }),
  );

it('records and sums of the previous release read as before, and both releases settle', async () => {
  await using database = await createEmptyDatabase();
  const { url } = database;
  await migrateToPrevious(url);
  await using client = Object.assign(new Client({ connectionString: url }), {
    [Symbol.asyncDispose]: () => client.end(),
  });
  await client.connect();
  await client.query(`INSERT INTO accounts (id, email, name) VALUES ('acct_old', 'old@example.com', 'Old')`);
  await client.query(
    `INSERT INTO pools (id, name, owner, included, remaining) VALUES ('pool_1', 'Pool', 'account:acct_old', $1, $1)`,
    [INCLUDED],
  );
  await client.query(`INSERT INTO ledger_entries (pool_id, kind, amount) VALUES ('pool_1', 'included', $1)`, [
    INCLUDED,
  ]);
  const summed = rowsOf(200, 180_000);
  const pending = rowsOf(150, 60_000);
  await settleAsPrevious(client, summed);
  await client.query('SELECT roll_up_settlements(1000)');
  await settleAsPrevious(client, pending);
  const stored = async () => ({
    records: (
      await client.query(
        'SELECT request_id, cost, charged, uncollected, held, settled_at FROM usage_records ORDER BY 1',
      )
    ).rows,
    sums: (
      await client.query(
        'SELECT width, bucket, key_id, model_id, requests, charged FROM usage_rollups ORDER BY 1, 2, 3, 4',
      )
    ).rows,
  });
  const before = await stored();
  expect(before.records.some(({ uncollected }) => uncollected !== '0')).toBe(true);
  expect(before.sums.length).toBeGreaterThan(0);

  await applyMigrations(url);
  expect(await stored()).toEqual(before);
  await using reads = Object.assign(new ReadingPool(url), { [Symbol.asyncDispose]: () => reads.close() });
  const prisma = createPrismaClient(url);
  const [usageStore, usageReportStore] = [new UsageStore(reads, 90), new UsageReportStore(reads)];
  const totals = async (labels: readonly `tag:${string}`[] = []) => {
    const filter = { accounts: ['acct_old'], labels: [] };
    const end = Math.ceil(Date.now() / 60_000) * 60 + 60;
    const period = { start: end - 86_400, end };
    const request = {
      filter,
      period,
      bucketWidth: undefined,
      groupBy: [],
      labels,
      limit: 1,
      page: undefined,
    };
    const { buckets, totals: whole } = await getUsageReport(
      { usageReportStore, usageStore },
      request,
      signal,
    );
    const grouped = buckets.flatMap(({ groups }) => groups);
    const all = labels.length === 0 ? [whole] : grouped;
    return {
      requests: Number(all.reduce((sum, { requests }) => sum + requests, 0n)),
      charged: Number(all.reduce((sum, { charged }) => sum + charged, 0n)),
      providerCost: Number(all.reduce((sum, { providerCost }) => sum + providerCost, 0n)),
    };
  };
  const sumOf = (rows: readonly SettledRecord[]) => rows.reduce((sum, { cost }) => sum + Number(cost), 0);
  // Sums of the previous release know only what was charged; records that wait for theirs have their cost.
  const old = { requests: 350, charged: INCLUDED, providerCost: INCLUDED + sumOf(pending) };
  expect(await totals()).toEqual(old);
  for (const { cost, requestId } of [summed[0], pending[149]].flatMap((row) => row ?? [])) {
    const row = await usageStore.receipt(requestId, signal);
    if (row === undefined) throw new Error(`there is no receipt of ${requestId}`);
    const forHolder = receiptMessage(row, false);
    expect(receiptMessage(row, true)).toEqual({ ...forHolder, providerCost: cost, attemptsCost: '0' });
    expect(forHolder).toMatchObject({ cost, pricing: {}, attempts: [{ providerId: 'sim', durationMs: 9 }] });
  }

  // A control plane of the previous release and one of this settle into the same sums.
  await client.query(
    `UPDATE pools SET included = included + 1000000, remaining = remaining + 1000000 WHERE id = 'pool_1'`,
  );
  await client.query(
    `INSERT INTO ledger_entries (pool_id, kind, amount) VALUES ('pool_1', 'included', 1000000)`,
  );
  const byPrevious = rowsOf(20, 60_000);
  const byThis = rowsOf(20, 60_000, { cost: '1370', providerCost: '1000', attemptsCost: '7' });
  await settleAsPrevious(client, byPrevious);
  await settleRows((sql, values) => client.query(sql, values), byThis);
  const expected = {
    requests: 390,
    charged: INCLUDED + sumOf(byPrevious) + 20 * 1_370,
    providerCost: old.providerCost + sumOf(byPrevious) + 20 * 1_007,
  };
  expect(await totals()).toEqual(expected);
  await new RollUpStore(prisma, settledEvents).rollUp(1_000);
  expect(await totals()).toEqual(expected);
  expect(await totals(['tag:project'])).toEqual(expected);
  await using ledger = await new LedgerStore(url).snapshot(signal);
  for (const check of ledger.checks) expect(await check(10)).toEqual([]);
  await prisma.$disconnect();
});

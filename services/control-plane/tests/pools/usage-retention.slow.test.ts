import { arrivalAt, newRequestId } from '@model-gateway/shared';
import { expect } from 'vitest';
import { UsageRetentionStore } from '../../src/pools/usage-retention-store.ts';
import { type ControlPlanes, it, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { poolsOf, settle } from '../fixtures/pools-fixture.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 400;

const startOfDay = (daysAgo: number) => (Math.floor(Date.now() / DAY_MS) - daysAgo) * DAY_MS;

async function prune(control: ControlPlanes): Promise<void> {
  await new UsageRetentionStore(control.prisma, RETENTION_DAYS).prune();
}

/** Stores a request settled when it ended. */
async function settleAt(control: ControlPlanes, requestId: string, endedAtMs: number): Promise<void> {
  const endedAt = new Date(endedAtMs).toISOString();
  await settle(control, [{ requestId, cost: 1_000, endedAt }]);
  await control.query('UPDATE usage_records SET settled_at = $1 WHERE request_id = $2', [endedAt, requestId]);
  await control.sql`UPDATE ledger_entries SET created_at = ${endedAt}
     WHERE settlement = (SELECT settlement FROM usage_records WHERE request_id = ${requestId})`;
}

const recordsOf = async (control: ControlPlanes) =>
  (await control.query('SELECT request_id FROM usage_records ORDER BY 1')).map((row) => row.request_id);

it('usage records are kept for their whole last day, hour and day sums for good', async ({ control }) => {
  const pools = poolsOf(control);
  await pools.add({ kind: 'account', id: 'acct_test' });
  await settleAt(control, 'req_old', startOfDay(RETENTION_DAYS) - 1);
  await settleAt(control, 'req_kept', startOfDay(RETENTION_DAYS));
  await settleAt(control, 'req_new', Date.now());
  await control.query('SELECT roll_up_settlements(10)');
  await prune(control);
  expect(await recordsOf(control)).toEqual(['req_kept', 'req_new']);
  const widths =
    await control.sql`SELECT width, sum(requests)::int AS requests FROM usage_rollups GROUP BY 1 ORDER BY 1`;
  expect(widths).toEqual([
    { width: 60, requests: 2 },
    { width: 3_600, requests: 2 },
    { width: 86_400, requests: 2 },
  ]);
  expect(await pools.verify()).toMatchObject({ usageRecords: '2', ledgerEntries: '4', disagreements: [] });
});

it('minute sums stay until hours and days contain them', async ({ control }) => {
  await control.query(`UPDATE rollup_watermark SET until = now() - interval '2 years'`);
  await settleAt(control, 'req_old', startOfDay(RETENTION_DAYS) - 1);
  const minutes = 'SELECT requests::int FROM usage_rollups WHERE width = 60';
  await prune(control);
  expect(await control.query(minutes)).toEqual([{ requests: 1 }]);
  await control.query('SELECT widen_rollups(1)');
  await prune(control);
  expect(await control.query(minutes)).toEqual([]);
});

it('verify-ledger ignores pruned usage records, and names others that are missing', async ({ control }) => {
  const pools = poolsOf(control);
  await pools.add({ kind: 'account', id: 'acct_test' });
  await settleAt(control, 'req_old', startOfDay(RETENTION_DAYS + 5));
  await settleAt(control, 'req_kept', startOfDay(RETENTION_DAYS) + 1);
  await settleAt(control, 'req_new', Date.now());
  await prune(control);
  await control.query(`DELETE FROM usage_records WHERE request_id = 'req_kept'`);
  const { disagreements } = await pools.verify();
  expect(disagreements.map(({ kind, id }) => [kind, id])).toEqual([
    ['settlement', expect.stringMatching(/^\d+ pool_/)],
    ['usage_rollup', expect.stringMatching(/^day /)],
  ]);
});

it('usage records settled late are kept for the retention time after their settlement', async () => {
  await using control = await startControlPlanes();
  const pools = poolsOf(control);
  await pools.add({ kind: 'account', id: 'acct_test' });
  const late = startOfDay(RETENTION_DAYS) - 1;
  await settleAt(control, 'req_late', late);
  await control.query('UPDATE usage_records SET settled_at = $1', [new Date(late + 1_000)]);
  await prune(control);
  expect(await recordsOf(control)).toEqual(['req_late']);
});

it.for([
  ['are dropped with the partition of their day', RETENTION_DAYS + 3, 0],
  ['stay while others of their day may have been settled later', RETENTION_DAYS + 2, 1],
] as const)('usage records %s', async ([, daysAgo, left], { control }) => {
  const pools = poolsOf(control);
  await pools.add({ kind: 'account', id: 'acct_test' });
  const arrivedMs = startOfDay(daysAgo) + 1_000;
  const name = `usage_records_${new Date(arrivedMs).toISOString().slice(0, 10).replaceAll('-', '_')}`;
  const bounds = [daysAgo, daysAgo - 1].map((ago) => `'${arrivalAt(startOfDay(ago))}'`).join(') TO (');
  await control.query(`CREATE TABLE ${name} PARTITION OF usage_records FOR VALUES FROM (${bounds})`);
  await settleAt(control, newRequestId(arrivedMs), arrivedMs);
  await control.query('UPDATE usage_records SET arrival = arrival_of(request_id)');
  await prune(control);
  expect(await recordsOf(control)).toHaveLength(left);
  const [found] = await control.query('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
  expect(found).toEqual({ there: left > 0 });
  expect((await pools.verify()).disagreements).toEqual([]);
});

it('a record settled days after the arrival of its request is stored without the arrival, and kept', async () => {
  await using control = await startControlPlanes();
  const arrivedMs = startOfDay(RETENTION_DAYS + 3);
  const requestId = newRequestId(arrivedMs);
  await settle(control, [{ requestId, cost: 0, endedAt: new Date(arrivedMs).toISOString() }]);
  await prune(control);
  expect(await control.query('SELECT request_id, arrival FROM usage_records')).toEqual([
    { request_id: requestId, arrival: '' },
  ]);
});

it('many usage records are pruned in chunks', async ({ control }) => {
  await settleAt(control, 'req_0', startOfDay(RETENTION_DAYS + 1));
  await control.sql`INSERT INTO usage_records SELECT (
       jsonb_populate_record(r, jsonb_build_object('request_id', 'req_' || n))
     ).* FROM usage_records r, generate_series(1, 20500) AS n`;
  await prune(control);
  expect(await recordsOf(control)).toEqual([]);
});

import { arrivalAt, arrivalOf, newRequestId } from '@model-gateway/shared';
import { CHARGES } from '@model-gateway/test-kit/charges';
import { Client } from 'pg';
import { expect } from 'vitest';
import { isRequest } from '../../src/partitions/arrival-store.ts';
import { UsagePartitionStore } from '../../src/partitions/usage-partition-store.ts';
import { type ControlPlanes, it, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { poolsOf, settle } from '../fixtures/pools-fixture.ts';

const DAY_MS = 86_400_000;

async function makeMissing(control: ControlPlanes): Promise<void> {
  await new UsagePartitionStore(control.prisma).makeMissing();
}

const partitionOf = (daysAhead: number) =>
  `usage_records_${new Date(Date.now() + daysAhead * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '_')}`;

async function partitions(control: ControlPlanes): Promise<unknown[]> {
  const rows = await control.sql`SELECT relname FROM pg_class JOIN pg_inherits ON oid = inhrelid
     WHERE inhparent = 'usage_records'::regclass ORDER BY 1`;
  return rows.map(({ relname }) => relname);
}

const placesOf = (control: ControlPlanes) =>
  control.query('SELECT request_id, tableoid::regclass::text AS partition FROM usage_records ORDER BY 1');

const OTHERS = ['usage_records_rest', 'usage_records_undated'];
const DAYS = [-2, -1, 0, 1, 2, 3].map(partitionOf);

it('usage records have partitions for today and the next days when a control plane has started', async () => {
  await using control = await startControlPlanes({ count: 2 });
  expect(await partitions(control)).toEqual([...DAYS, ...OTHERS]);
  await makeMissing(control);
  expect(await partitions(control)).toEqual([...DAYS, ...OTHERS]);
});

it('SQL and TypeScript derive the same partition from a request id', async ({ control }) => {
  const times = Array.from({ length: 300 }, (_, n) => Date.UTC(2026, 0, 1) + n * 47 * 3_600_123);
  const ids = [...times.map((ms) => newRequestId(ms)), '', 'req_1', 'req_old'];
  const [row] = await control.sql`SELECT ARRAY(SELECT arrival_of(id) FROM unnest(${ids}::text[]) AS id) AS of,
       ARRAY(SELECT arrival_at(to_timestamp(ms / 1000.0)) FROM unnest(${times}::bigint[]) AS ms) AS at`;
  expect(row).toEqual({ of: ids.map(arrivalOf), at: times.map(arrivalAt) });
});

it('a look-up by id reads the partition of its day, and that of undated records', async ({ control }) => {
  const [today, yesterday] = [newRequestId(), newRequestId(Date.now() - DAY_MS)];
  await settle(
    control,
    [today, yesterday, 'req_random'].map((requestId) => ({ requestId, cost: 0 })),
  );
  expect(await placesOf(control)).toEqual(
    [
      { request_id: yesterday, partition: partitionOf(-1) },
      { request_id: today, partition: partitionOf(0) },
      { request_id: 'req_random', partition: 'usage_records_undated' },
    ].sort((a, b) => (a.request_id < b.request_id ? -1 : 1)),
  );
  const { text, values } = isRequest(today);
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await control.query(`SET plan_cache_mode = ${mode}`);
    const plan = JSON.stringify(
      await control.query(`EXPLAIN (FORMAT JSON) SELECT * FROM usage_records r WHERE ${text}`, values),
    );
    const read = [...plan.matchAll(/"Relation Name":"(\w+)"/g)].map(([, name]) => name);
    expect(new Set(read)).toEqual(new Set(['usage_records_undated', partitionOf(0)]));
    expect(plan).not.toContain('Seq Scan');
  }
});

it('a late partition takes in the records stored without it, and charges once', async ({ control }) => {
  const pools = poolsOf(control);
  await pools.add({ kind: 'account', id: 'acct_test' });
  await control.query(`DROP TABLE ${partitionOf(0)}, ${partitionOf(1)}`);
  const ids = Array.from({ length: 50 }, () => newRequestId());
  const requests = ids.map((requestId) => ({ requestId, cost: 1_000 }));
  await settle(control, requests);
  expect(new Set((await placesOf(control)).map(({ partition }) => partition))).toEqual(
    new Set(['usage_records_rest']),
  );
  await makeMissing(control);
  await settle(control, requests);
  expect(await partitions(control)).toEqual([...DAYS, ...OTHERS]);
  expect(await placesOf(control)).toEqual(
    ids.sort().map((request_id) => ({ request_id, partition: partitionOf(0) })),
  );
  expect(await control.query(`SELECT sum(amount)::int AS charged FROM ${CHARGES} AS paid`)).toEqual([
    { charged: 50_000 },
  ]);
  expect(await pools.verify()).toMatchObject({ usageRecords: '50', disagreements: [] });
});

it('a day with many records in the rest partition keeps them there', async ({ control }) => {
  await control.query(`DROP TABLE ${partitionOf(0)}, ${partitionOf(1)}`);
  const requestId = newRequestId();
  await settle(control, [{ requestId, cost: 0 }]);
  await control.sql`INSERT INTO usage_records SELECT (
       jsonb_populate_record(r, jsonb_build_object('request_id', r.request_id || n))
     ).* FROM usage_records r, generate_series(1, 20000) AS n`;
  await makeMissing(control);
  expect(await partitions(control)).toEqual([...DAYS.filter((name) => name !== partitionOf(0)), ...OTHERS]);
  expect(await control.query('SELECT count(*)::int FROM usage_records_rest')).toEqual([{ count: 20_001 }]);
});

it('a partition blocked by a long statement is made later, and nobody waits for it', async ({ control }) => {
  await control.query(`DROP TABLE ${partitionOf(3)}`);
  const report = new Client({ connectionString: control.databaseUrl });
  await report.connect();
  try {
    await report.query('BEGIN; SELECT count(*) FROM usage_records');
    await expect(makeMissing(control)).rejects.toThrow('lock timeout');
    await settle(control, [{ requestId: newRequestId(), cost: 0 }]);
  } finally {
    await report.end();
  }
  await makeMissing(control);
  expect(await partitions(control)).toEqual([...DAYS, ...OTHERS]);
});

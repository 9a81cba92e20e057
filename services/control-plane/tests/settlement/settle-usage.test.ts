import { randomUUID } from 'node:crypto';
import type { SettleBatch } from '@model-gateway/contracts';
import { simulatedCatalog, until } from '@model-gateway/test-kit';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AllowanceStore } from '../../src/billing/allowance-store.ts';
import { openTransaction } from '../fixtures/administration-fixture.ts';
import { newPayer, poolAmounts } from '../fixtures/allowances-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { applyCatalog } from '../fixtures/holder-usage-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

type Report = NonNullable<SettleBatch['records']>[number];

const control = useControlPlanes({ count: 2 });

beforeAll(async () => {
  await applyCatalog(control, simulatedCatalog('http://127.0.0.1:9/v1'));
});
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

/** Paid image, 0.04 USD. */
function image(accountId: string, more: Partial<Report> = {}): Report {
  return {
    ...outcomeOf('sim/image-pro'),
    capability: 'images',
    owner: { accountId },
    priceVersion: 1,
    units: { images: 1 },
    usageSource: 'gateway',
    held: '40000000',
    ...more,
  };
}

async function send(plane: number, records: Report[], more: Partial<SettleBatch> = {}): Promise<void> {
  const { callers } = control;
  const client = at(callers, plane);
  const stream = client.stubs.billing.settleUsage(client.metadata);
  const batchId = randomUUID();
  const acknowledged = new Promise<void>((resolve, reject) => {
    stream.on('data', (ack) => ack.batchId === batchId && resolve());
    stream.on('error', reject);
  });
  stream.write({ batchId, records, ...more });
  await acknowledged;
  stream.end();
}

async function rowsOf(accountId: string) {
  return await control.sql`
    SELECT request_id, cost, charged, uncollected, billing_reason FROM usage_records WHERE account_id = ${accountId}`;
}

async function rollupsOf(accountId: string) {
  await control.query('SELECT roll_up_settlements(1000)');
  return await control.sql`SELECT sum(requests) AS requests, sum(charged) AS charged FROM usage_rollups
     WHERE account_id = ${accountId} AND width = 60 GROUP BY account_id`;
}

it('a request sent five times, in different batches and orders, to two control planes, is charged once', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const records = Array.from({ length: 40 }, () => image(accountId));
  const shuffled = () =>
    records
      .map((record) => ({ record, at: Math.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ record }) => record);
  await Promise.all(
    Array.from({ length: 5 }, async (_, time) => {
      const left = shuffled();
      while (left.length > 0) await send(time % 2, left.splice(0, 1 + Math.floor(Math.random() * 12)));
    }),
  );
  expect(await rowsOf(accountId)).toHaveLength(40);
  expect(await poolAmounts(control, pool)).toMatchObject({
    remaining: '3400000000',
    held: '0',
    charged: '1600000000',
  });
  expect(await rollupsOf(accountId)).toEqual([{ requests: '40', charged: '1600000000' }]);
});

it('a free request settled twice at the same moment is stored once without locking a pool', async () => {
  const { accountId } = await newPayer(control, '5.00');
  const { priceVersion: _, ...record } = image(accountId);
  const { priceVersion: __, ...other } = image(accountId);
  await using client = await openTransaction(control);
  await settleRows(
    (sql, values) => client.query(sql, values),
    [
      usageRow({
        requestId: record.requestId ?? '',
        accountId,
        modelId: 'sim/image-pro',
        capability: 'images',
      }),
    ],
  );
  const sent = send(1, [record, other]);
  await until(async () => {
    const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%settle_usage%'`;
    return (await control.query(waiting)).length === 1;
  });
  await client.query('COMMIT');
  await sent;
  expect(await rowsOf(accountId)).toHaveLength(2);
  expect(await rollupsOf(accountId)).toEqual([{ requests: '2', charged: '0' }]);
});

it('a request sent twice in one batch is charged once', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const record = image(accountId);
  await send(0, [record, record]);
  expect(await rowsOf(accountId)).toHaveLength(1);
  expect(await poolAmounts(control, pool)).toMatchObject({ charged: '40000000' });
});

it('a later report with another cost changes nothing', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const record = image(accountId);
  await send(0, [record]);
  await send(1, [{ ...record, units: { images: 100 } }]);
  await send(1, [{ ...record, units: null, usageSource: '', billingReason: 'upstream_failed_free' }]);
  expect(await rowsOf(accountId)).toMatchObject([{ cost: '40000000', billing_reason: 'completed' }]);
  expect(await poolAmounts(control, pool)).toMatchObject({ charged: '40000000' });
});

it('a request is charged once even when its streams break off', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const records = Array.from({ length: 20 }, () => image(accountId)) as Parameters<Settlement['send']>[0];
  for (let time = 0; time < 4; time++) {
    const settlement = new Settlement(at(control.callers, time % 2));
    settlement.send(records);
    settlement.cancel();
  }
  await new Settlement(at(control.callers, 0)).settle(records);
  expect(await rowsOf(accountId)).toHaveLength(20);
  expect(await poolAmounts(control, pool)).toMatchObject({ charged: '800000000' });
});

it('cost beyond the balance is uncollected, however many settle at once', async () => {
  const { accountId, pool } = await newPayer(control, '0.10');
  const records = Array.from({ length: 10 }, () => image(accountId));
  await Promise.all(records.map((record, index) => send(index % 2, [record])));
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: '0', held: '0', charged: '100000000' });
  const rows = await rowsOf(accountId);
  const sum = (name: string) => rows.reduce((total, row) => total + BigInt(String(row[name])), 0n);
  expect([sum('cost'), sum('charged'), sum('uncollected')]).toEqual([
    400_000_000n,
    100_000_000n,
    300_000_000n,
  ]);
  expect(await rollupsOf(accountId)).toEqual([{ requests: '10', charged: '100000000' }]);
});

it('a checkpoint charges nothing, is replaced by the next one, and ends with the settlement', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const allowanceId = randomUUID();
  const running = image(accountId, { allowanceId, billingReason: 'aborted_partial' });
  await send(0, [], { checkpoints: [running] });
  await send(1, [], { checkpoints: [{ ...running, units: { images: 2 } }] });
  const stored = () =>
    control.sql`SELECT units[4]::text AS images FROM usage_checkpoints WHERE request_id = ${running.requestId}`;
  expect(await stored()).toEqual([{ images: '2' }]);
  expect(await poolAmounts(control, pool)).toMatchObject({ charged: '0' });
  await send(0, [{ ...running, billingReason: 'completed', units: { images: 3 } }]);
  expect(await stored()).toEqual([]);
  // Sent before the stream ended.
  await send(1, [], { checkpoints: [running] });
  expect(await stored()).toEqual([]);
  expect(await poolAmounts(control, pool)).toMatchObject({ charged: '120000000' });
});

it('a checkpoint stored during the settlement of its request is no disagreement, and is deleted', async () => {
  const { accountId } = await newPayer(control, '5.00');
  const allowanceId = randomUUID();
  const running = image(accountId, { allowanceId });
  const stored = () =>
    control.query('SELECT request_id FROM usage_checkpoints WHERE request_id = $1', [running.requestId]);
  await using client = await openTransaction(control);
  await settleRows(
    (sql, values) => client.query(sql, values),
    [usageRow({ requestId: running.requestId ?? '', accountId, allowanceId })],
  );
  await send(1, [], { checkpoints: [running] });
  expect(await stored()).toHaveLength(1);
  await client.query('COMMIT');
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
  await new AllowanceStore(control.prisma).prune();
  expect(await stored()).toEqual([]);
});

it('an acknowledged batch is in the database before the acknowledgement', async () => {
  const { accountId } = await newPayer(control, '5.00');
  for (let round = 0; round < 10; round++) {
    await send(round % 2, [image(accountId)]);
    expect(await rowsOf(accountId)).toHaveLength(round + 1);
  }
  await until(async () => (await rollupsOf(accountId)).length === 1);
});

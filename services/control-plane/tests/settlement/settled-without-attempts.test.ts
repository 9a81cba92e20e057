import { randomUUID } from 'node:crypto';
import { simulatedCatalog } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { applyCatalog, holderUsageOf } from '../fixtures/holder-usage-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { outcomeOf, Settlement, type TestRecord } from '../fixtures/settlement-fixture.ts';

const control = useControlPlanes();
let settlement: Settlement;
beforeAll(async () => {
  await applyCatalog(control, simulatedCatalog('http://127.0.0.1:9/v1'));
  settlement = new Settlement(at(control.callers, 0));
});
afterAll(async () => {
  settlement.end();
});

/** Paid image, 0.04 USD, without any provider. */
async function cachedImage(includedUsd: string, more: Partial<TestRecord> = {}) {
  const accountId = await insertAccount(control, randomUUID());
  const { id: pool } = await poolsOf(control).add({ kind: 'account', id: accountId }, { includedUsd });
  const ended = outcomeOf('sim/image-pro');
  const record = {
    ...ended,
    capability: 'images',
    owner: { accountId },
    priceVersion: 1,
    units: { images: 1 },
    usageSource: 'gateway',
    clientStatus: 200,
    attempts: [],
    ...more,
  };
  return { accountId, pool, record, endedAt: new Date(ended.endedAtMs) };
}

it('a settled request without attempts is stored and charged once, and the ledger agrees', async () => {
  const { accountId, endedAt, pool, record } = await cachedImage('1.00');
  for (const _ of [1, 2]) expect(await settlement.settle([record])).toMatchObject({ refused: 0 });
  expect(
    await control.sql`
      SELECT request_id, cost, charged, uncollected, attempts, ended_at FROM usage_records WHERE account_id = ${accountId}`,
  ).toEqual([
    {
      request_id: record.requestId,
      cost: '40000000',
      charged: '40000000',
      uncollected: '0',
      attempts: [],
      ended_at: endedAt,
    },
  ]);
  expect(await control.query('SELECT remaining, charged FROM pools WHERE id = $1', [pool])).toEqual([
    { remaining: '960000000', charged: '40000000' },
  ]);
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

it('a settled request without attempts appears in usage and request lists, and has a receipt', async () => {
  const { accountId, pool, record } = await cachedImage('1.00');
  await settlement.settle([record]);
  const holder = holderUsageOf(control, accountId);
  expect((await holder.usage()).totals).toMatchObject({ requests: '1', cost: '40000000' });
  expect((await holder.requests()).requests).toMatchObject([
    { requestId: record.requestId, cost: '40000000', latencyMs: 0, clientStatus: 200 },
  ]);
  const { requestId } = record;
  const receipt = await control.admin('billing', 'getReceipt', { requestId });
  expect(receipt).toMatchObject({
    requestId,
    cost: '40000000',
    charged: '40000000',
    debits: [{ poolId: pool, amount: '40000000' }],
    attempts: [],
    billingReason: 'completed',
    clientStatus: 200,
  });
});

it("a settled request without attempts counts for no provider's status", async () => {
  const { record } = await cachedImage('1.00');
  await settlement.settle([record]);
  expect(await control.query(`SELECT FROM model_minutes WHERE model_id = 'sim/image-pro'`)).toEqual([]);
});

it('a checkpoint without attempts is billed when its data plane is gone', async () => {
  const { accountId, record } = await cachedImage('1.00', { allowanceId: 'allowance_gone' });
  await control.sql`INSERT INTO allowances (id, instance_id, payer, used_at)
     VALUES ('allowance_gone', 'gone', ARRAY['account:' || ${accountId}], now() - interval '1 hour')`;
  await settlement.checkpoint([record]);
  expect(
    await control.query(`SELECT close_expired_allowance('allowance_gone', '1 minute') AS closed`),
  ).toEqual([{ closed: true }]);
  expect(
    await control.query('SELECT charged, attempts FROM usage_records WHERE account_id = $1', [accountId]),
  ).toEqual([{ charged: '40000000', attempts: [] }]);
});

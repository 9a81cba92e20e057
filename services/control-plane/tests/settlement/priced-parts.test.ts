import { randomUUID } from 'node:crypto';
import { NO_UNITS, type Units } from '@model-gateway/shared';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { outcomeOf, Settlement, type TestRecord } from '../fixtures/settlement-fixture.ts';

const PRICES = {
  'sim/large': {
    input_per_million_usd: '3',
    output_per_million_usd: '15',
    tiers: [{ above_input_tokens: 200_000, input_per_million_usd: '6', output_per_million_usd: '22.5' }],
  },
  'sim/small': {
    input_per_million_usd: '1',
    cache_write_per_million_usd: '1.25',
    output_per_million_usd: '5',
  },
};

const control = useControlPlanes();
let settlement: Settlement;

beforeAll(async () => {
  for (const [id, pricing] of Object.entries(PRICES)) {
    await control.sql`
      INSERT INTO models (id, name, description, capability, tier, input_modalities, output_modalities)
       VALUES (${id}, 'Model', '', 'chat', 'paid', '{text}', '{text}')`;
    await control.sql`
      INSERT INTO model_prices (model_id, version, pricing) VALUES (${id}, 1, ${JSON.stringify(pricing)})`;
  }
  settlement = new Settlement(at(control.callers, 0));
});
afterAll(async () => {
  settlement.end();
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

const wire = (units: Partial<Units>) =>
  Object.fromEntries(Object.entries({ ...NO_UNITS, ...units }).map(([unit, count]) => [unit, String(count)]));

function report(units: Partial<Units>, more: TestRecord = {}): TestRecord & { requestId: string } {
  return {
    ...outcomeOf('sim/large'),
    priceVersion: 1,
    units: wire(units),
    usageSource: 'provider',
    ...more,
    requestId: randomUUID(),
  };
}

async function receiptOf(record: TestRecord & { requestId: string }) {
  expect(await settlement.settle([record])).toMatchObject({ refused: 0 });
  const { requestId } = record;
  return await control.admin('billing', 'getReceipt', { requestId });
}

const parts = [
  { modelId: 'sim/large', priceVersion: 1, units: wire({ inputTokens: 1_000, outputTokens: 100 }) },
  { modelId: 'sim/small', priceVersion: 1, units: wire({ inputTokens: 500, cacheWriteTokens: 200 }) },
  { modelId: 'sim/large', priceVersion: 1, units: wire({ inputTokens: 300_001, outputTokens: 10 }) },
];
const all = { inputTokens: 301_501, cacheWriteTokens: 200, outputTokens: 110 };
const COSTS = [4_500_000n, 300n * 1_000n + 200n * 1_250n, 300_001n * 6_000n + 10n * 22_500n] as const;

it("a request answered by several models costs the sum of its parts at each model's price and tier", async () => {
  const receipt = await receiptOf(report(all, { parts }));
  expect(receipt.cost).toBe(String(COSTS[0] + COSTS[1] + COSTS[2]));
  expect(receipt.parts.map(({ modelId, cost }) => [modelId, cost])).toEqual([
    ['sim/large', String(COSTS[0])],
    ['sim/small', String(COSTS[1])],
    ['sim/large', String(COSTS[2])],
  ]);
  expect(receipt.parts[1]).toMatchObject({ priceVersion: 1, units: parts[1]?.units, unpriced: [] });
});

it('a request answered by several models has the units of its own model, as the sums have', async () => {
  const owner = { accountId: 'acct_parts' };
  await control.query(`INSERT INTO accounts (id, email, name) VALUES ('acct_parts', 'p@example.com', 'P')`);
  const receipt = await receiptOf(report(all, { parts, owner }));
  const own = wire({ inputTokens: 301_001, outputTokens: 110 });
  expect(receipt.units).toEqual(own);
  const now = Math.floor(Date.now() / 1_000);
  const { totals } = await control.caller('billing', 'getUsage', {
    owner,
    bucketWidth: 86_400,
    limit: 31,
    startTime: now - 86_400,
    endTime: now + 86_400,
  });
  expect(totals?.units).toEqual(own);
});

it('a request answered by several models is billed for all reported parts when its data plane is killed', async () => {
  const record = report(all, { parts, allowanceId: 'allowance_gone' });
  await settlement.checkpoint([record]);
  await control.sql`INSERT INTO allowances (id, instance_id, payer, used_at)
     VALUES ('allowance_gone', 'gone', '{account:acct_test}', now() - interval '1 hour')`;
  expect(
    await control.query(`SELECT close_expired_allowance('allowance_gone', '1 minute') AS closed`),
  ).toEqual([{ closed: true }]);
  const [row] = await control.sql`
      SELECT cost, jsonb_array_length(parts) AS parts FROM usage_records WHERE request_id = ${record.requestId}`;
  expect(row).toEqual({ cost: String(COSTS[0] + COSTS[1] + COSTS[2]), parts: 3 });
});

it('a request with a part whose price never existed costs its hold', async () => {
  const unknown = [{ ...parts[0], priceVersion: 99 }];
  const receipt = await receiptOf(report(all, { parts: unknown, held: '777' }));
  expect(receipt).toMatchObject({ cost: '777', usageSource: 'estimated', billingReason: 'estimated' });
});

it('a request costs nothing when its own model is free', async () => {
  const { priceVersion: _, ...free } = report(all, { parts, modelId: 'sim/free' });
  const receipt = await receiptOf(free);
  expect(receipt.cost).toBe('0');
  expect(receipt.parts.map(({ cost }) => cost)).toEqual(['0', '0', '0']);
});

it('a receipt names the units without a price', async () => {
  const receipt = await receiptOf(report({ inputTokens: 1_000, cacheWriteTokens: 400, toolCalls: 2 }));
  expect(receipt.unpriced).toEqual(['cache_write_tokens', 'tool_calls']);
  expect(receipt.cost).toBe(String(1_000n * 3_000n + 2n * 10_000_000n));
  expect((await receiptOf(report({ inputTokens: 1_000 }))).unpriced).toEqual([]);
});

it('a receipt lists the prices of its tiers', async () => {
  const receipt = await receiptOf(report({ inputTokens: 200_001 }));
  expect(receipt.cost).toBe(String(200_001n * 6_000n));
  expect(receipt.pricing).toEqual({
    input_per_million_usd: '3',
    output_per_million_usd: '15',
    'tiers.200000.input_per_million_usd': '6',
    'tiers.200000.output_per_million_usd': '22.5',
  });
});

it("a report whose parts have no prices is charged at its model's price", async () => {
  const units = { inputTokens: '1000', cachedInputTokens: '0', outputTokens: '10' };
  const receipt = await receiptOf({ ...report({}), units });
  expect(receipt).toMatchObject({ cost: String(1_000n * 3_000n + 10n * 15_000n), unpriced: [], parts: [] });
});

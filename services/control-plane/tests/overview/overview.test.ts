import { randomUUID } from 'node:crypto';
import { ReadingPool } from '@model-gateway/database';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settledEvents } from '../../src/event-checks/settled-events.ts';
import { type OverviewPeriodName, overviewPeriod } from '../../src/overview/overview-period.ts';
import { OverviewStore } from '../../src/overview/overview-store.ts';
import { RollUpStore } from '../../src/roll-ups/roll-up-store.ts';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { newPayer } from '../fixtures/allowances-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const percentiles = z.object({ p50: z.number(), p95: z.number() }).nullable();
const figures = z.object({
  requests: z.int(),
  cost_usd: z.string(),
  errors: z.int(),
  error_rate: z.number().nullable(),
  latency_ms: percentiles,
  time_to_first_token_ms: percentiles,
});
const rows = z.array(z.object({ id: z.string(), now: figures, previous: figures.nullable() }));
const answer = z.object({
  start: z.string(),
  end: z.string(),
  previous_start: z.string(),
  providers: rows,
  models: rows,
  series: z.array(z.object({ start: z.string(), requests: z.int() })),
});

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const control = useControlPlanes({ count: 2 });
const api = manage(control);
let model: string;
let provider: string;

beforeEach(() => {
  model = `sim/${randomUUID()}`;
  provider = `provider-${randomUUID()}`;
});

async function overview(period: string) {
  const { body, status } = await api.get(`/admin/v1/overview?period=${period}`);
  expect(status).toBe(200);
  return answer.parse(body);
}
const find = (of: z.infer<typeof rows>, id: string) => of.find((row) => row.id === id);
const rollUp = () => new RollUpStore(control.prisma, settledEvents).rollUp(100);
const attempts = (providerId = provider) => [
  { providerId, httpStatus: 200, errorCode: null, durationMs: 10 },
];
const free = (changes: object) => usageRow({ modelId: model, attempts: attempts(), ...changes });

/** Sums of what a model's requests were charged, as the records have it. */
async function recorded() {
  const [row] = await control.sql`
    SELECT count(*)::int AS requests, coalesce(sum(charged), 0)::text AS charged
    FROM usage_records WHERE model_id = ${model}`;
  return row;
}
async function summed(width: number) {
  const [row] = await control.sql`
    SELECT coalesce(sum(requests), 0)::int AS requests, coalesce(sum(charged), 0)::text AS charged
    FROM model_usage WHERE model_id = ${model} AND width = ${width}`;
  return row;
}

describe('sums of usage by model and provider', () => {
  it('equal the records after each roll-up, whoever makes it', async () => {
    await settleRows(control.query, [free({}), free({ keyId: 'key_other' }), free({ attempts: [] })]);
    await Promise.all([rollUp(), rollUp(), rollUp()]);
    for (const width of [60, 3_600, 86_400]) expect(await summed(width)).toEqual(await recorded());
    expect(await summed(60)).toMatchObject({ requests: 3 });
    const byProvider = await control.sql`
      SELECT provider_id, requests::int FROM model_usage WHERE model_id = ${model} AND width = 60
      ORDER BY requests`;
    expect(byProvider).toEqual([
      { provider_id: '', requests: 1 },
      { provider_id: provider, requests: 2 },
    ]);
  });

  it('equal the records and the ledger after a provisional record was replaced', async () => {
    const { accountId } = await newPayer(control, '10.00');
    const requestId = `req_${randomUUID()}`;
    const record = { requestId, accountId, modelId: model, priceVersion: 1, attempts: attempts() };
    await settleRows(control.query, [usageRow({ ...record, cost: '3000000000' })], true);
    await rollUp();
    expect(await summed(3_600)).toEqual(await recorded());
    const last = attempts('other');
    await settleRows(control.query, [usageRow({ ...record, cost: '1000000000', attempts: last })]);
    await rollUp();
    expect(await recorded()).toEqual({ requests: 1, charged: '1000000000' });
    for (const width of [60, 3_600, 86_400]) expect(await summed(width)).toEqual(await recorded());
    const [ledger] = await control.sql`
      SELECT (-sum(e.amount))::text AS charged FROM ledger_entries e
      JOIN usage_records r ON r.settlement IN (e.settlement, e.corrects) WHERE r.request_id = ${requestId}`;
    expect(ledger).toEqual({ charged: '1000000000' });
  });
});

describe('the overview', () => {
  it('shows requests, errors and times by model and provider as soon as they are settled', async () => {
    const other = `${provider}-2`;
    const settlement = new Settlement(at(control.callers, 0));
    const record = outcomeOf(model, { providerId: provider, timeToFirstTokenMs: 40 });
    const failed = outcomeOf(model, { providerId: provider, outcome: 'failed' });
    // It fails over to the other provider, which is a failure of the first one only.
    const next = { ...at(failed.attempts, 0), providerId: other, outcome: 'completed' };
    const saved = { ...failed, requestId: randomUUID(), attempts: [...failed.attempts, next] };
    await settlement.settle([record, failed, saved]);
    settlement.end();
    await rollUp();
    for (const period of ['1h', '24h', '7d', '30d']) {
      const { models, providers, series } = await overview(period);
      expect(find(models, model)?.now).toMatchObject({ requests: 3, errors: 1, cost_usd: '0.000000000' });
      expect(find(models, model)?.now.error_rate).toBeCloseTo(1 / 3, 5);
      expect(find(providers, provider)?.now).toMatchObject({ requests: 2, errors: 2 });
      expect(find(providers, other)?.now).toMatchObject({ requests: 1, errors: 0, error_rate: 0 });
      const { latency_ms, time_to_first_token_ms } = find(models, model)?.now ?? {};
      expect(latency_ms?.p50).toBeGreaterThan(90);
      expect(latency_ms?.p50).toBeLessThan(110);
      expect(time_to_first_token_ms?.p95).toBeGreaterThan(36);
      expect(series.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThanOrEqual(3);
      expect(find(models, model)?.previous).toBeNull();
    }
  });

  it('compares with the same minutes of a week before', async () => {
    const before = await overview('1h');
    const inside = new Date(Date.parse(before.previous_start) + 60_000);
    const outside = new Date(Date.parse(before.previous_start) - 60_000);
    // In the last minute of an hour, the period is that hour, and is read as one.
    const hour = new Date(Math.floor(inside.getTime() / HOUR_MS) * HOUR_MS);
    await control.sql`
      INSERT INTO model_usage (width, bucket, model_id, provider_id, requests, charged) VALUES
        (60, ${inside}, ${model}, ${provider}, 7, 2500000000), (60, ${outside}, ${model}, ${provider}, 100, 1),
        (3600, ${hour}, ${model}, ${provider}, 7, 2500000000)`;
    const { models } = await overview('1h');
    expect(find(models, model)?.previous).toMatchObject({ requests: 7, cost_usd: '2.500000000' });
    expect(Date.parse(before.start) - Date.parse(before.previous_start)).toBe(WEEK_MS);
  });

  it('lists the accounts that spent most in the period, also what is not summed yet', async () => {
    const [one, two] = [await newPayer(control, '10.00'), await newPayer(control, '10.00')];
    const spend = (accountId: string, usd: number, hoursAgo = 0) => {
      const endedAt = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
      const cost = String(usd * 1_000_000_000);
      return free({ requestId: `req_${randomUUID()}`, accountId, cost, endedAt, priceVersion: 1 });
    };
    await settleRows(control.query, [
      spend(one.accountId, 8),
      spend(two.accountId, 5),
      spend(two.accountId, 4, 2),
    ]);
    const pool = new ReadingPool(control.databaseUrl);
    await using _open = { [Symbol.asyncDispose]: () => pool.close() };
    const topOf = async (period: OverviewPeriodName) => {
      const { now } = overviewPeriod(period, Date.now());
      const rows = await new OverviewStore(pool).accounts(now, 2, new AbortController().signal);
      return rows.map(({ charged, id }) => [id, Number(charged) / 1e9]);
    };
    const hour = [
      [one.accountId, 8],
      [two.accountId, 5],
    ];
    const day = [
      [two.accountId, 9],
      [one.accountId, 8],
    ];
    for (const sum of [async () => {}, rollUp]) {
      await sum();
      expect(await topOf('1h')).toEqual(hour);
      for (const period of ['24h', '7d', '30d'] as const) expect(await topOf(period), period).toEqual(day);
    }
    const { body } = await api.get('/admin/v1/overview/accounts?limit=1');
    const account = { id: two.accountId, name: 'Payer', email: expect.stringContaining('@') };
    const money = { cost_usd: '9.000000000', charged_usd: '9.000000000', margin_usd: '0.000000000' };
    expect(body).toEqual({ object: 'list', data: [{ account, requests: 2, ...money }] });
  });

  it('has a bucket for every part of the period, and begins with a whole one', async () => {
    for (const [period, buckets] of [
      ['1h', 60],
      ['24h', 24],
      ['7d', 168],
      ['30d', 30],
    ] as const) {
      const { end, series, start } = await overview(period);
      expect(series).toHaveLength(buckets);
      expect(series[0]?.start).toBe(start);
      expect(Date.parse(end)).toBeGreaterThan(Date.now());
    }
  });
});

describe('hours of outcomes', () => {
  const hour = async () => {
    const [row] = await control.sql`
      SELECT coalesce(sum(requests), 0)::int AS requests,
        coalesce(sum((SELECT sum(n) FROM unnest(latency_buckets) AS n)), 0)::int AS latencies
      FROM model_hours WHERE model_id = ${model}`;
    return row;
  };

  it('count a batch once, however often and wherever it is sent', async () => {
    const records = [
      outcomeOf(model),
      outcomeOf(model, { endedAtMs: Date.now() - 60_000 }),
      outcomeOf(model, { endedAtMs: Date.now() - 2 * HOUR_MS }),
    ];
    const [here, there] = [new Settlement(at(control.callers, 0)), new Settlement(at(control.callers, 1))];
    const id = randomUUID();
    await Promise.all([here.settle(records, id), there.settle(records, id)]);
    await here.settle([outcomeOf(model)]);
    expect(await hour()).toEqual({ requests: 4, latencies: 4 });
    here.end();
    there.end();
  });

  it('outlast their minutes for 40 days', async () => {
    const settlement = new Settlement(at(control.callers, 0));
    await settlement.settle([outcomeOf(model)]);
    settlement.end();
    const store = new SettlementStore(control.prisma);
    const age = (days: number) =>
      control.sql`UPDATE model_hours SET hour = now() - ${days} * interval '1 day' WHERE model_id = ${model}`;
    await age(39);
    await store.prune();
    expect(await hour()).toMatchObject({ requests: 1 });
    await age(41);
    await store.prune();
    expect(await hour()).toMatchObject({ requests: 0 });
  });
});

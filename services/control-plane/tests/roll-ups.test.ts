import { createPrismaClient } from '@model-gateway/database';
import { UNITS } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RollUpStore } from '../src/roll-ups/roll-up-store.ts';
import { SETTLED_UNITS } from '../src/settlement/settled-columns-store.ts';
import { at, CALL_DEADLINE_MS, type ControlPlanes, startControlPlanes } from './control-planes-fixture.ts';
import { poolsOf } from './pools-fixture.ts';
import { outcomeOf, Settlement, type TestRecord } from './settlement-fixture.ts';

const DAY = 86_400;
const MINUTE_MS = 60_000;

let control: ControlPlanes;

beforeEach(async () => {
  control = await startControlPlanes({ count: 2 });
});
afterEach(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
  await control[Symbol.asyncDispose]();
});

async function rollUp(most = 100): Promise<number> {
  const prisma = createPrismaClient(control.databaseUrl);
  try {
    return await new RollUpStore(prisma).rollUp(most);
  } finally {
    await prisma.$disconnect();
  }
}

/** Keeps everybody from summing up until it is disposed. */
async function holdRollUps(): Promise<AsyncDisposable> {
  const client = new Client({ connectionString: control.databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(hashtext('roll_up_settlements'))`);
  return { [Symbol.asyncDispose]: () => client.end() };
}

function chat(keyId: string, endedAtMs: number, tokens: number): TestRecord {
  return {
    ...outcomeOf('sim/chat', { endedAtMs }),
    keyId,
    units: { inputTokens: String(tokens), outputTokens: '1' },
    usageSource: 'provider',
  };
}

async function settle(...batches: TestRecord[][]): Promise<void> {
  const settlement = new Settlement(at(control.callers, 0));
  for (const batch of batches) await settlement.settle(batch);
  settlement.end();
}

const pending = async () => (await control.query('SELECT number FROM pending_settlements')).length;

/** Everything that anybody is told about the usage of the account. */
async function usage() {
  const nowS = Math.floor(Date.now() / 1_000);
  const caller = at(control.callers, 0);
  const period = { startTime: Math.floor(nowS / DAY - 1) * DAY, endTime: Math.ceil(nowS / DAY) * DAY };
  const payer = { accountId: 'acct_test' };
  const summaries = [];
  for (const bucketWidth of [0, 60, 3_600, DAY]) {
    for (const groupBy of [[], ['model'], ['key', 'capability']] as const) {
      const question = { payer, bucketWidth, limit: 100, groupBy: [...groupBy] };
      const whole = { ...question, startTime: period.startTime, endTime: period.endTime };
      const cut = { ...question, startTime: nowS - (nowS % 60) - 300, endTime: nowS - (nowS % 60) + 60 };
      for (const asked of bucketWidth === 60 ? [cut] : [whole, cut]) {
        summaries.push(await caller.call(CALL_DEADLINE_MS, 'billing', 'getUsage', asked));
      }
    }
  }
  const totals = await at(control.admins, 0).call(CALL_DEADLINE_MS, 'billing', 'getTotalUsage', {
    ...period,
    groupBy: 'key',
    limit: 100,
  });
  return { summaries, totals };
}

describe('usage that is not summed up yet', () => {
  it('is told as it is told afterwards, in every summary', async () => {
    await using _held = await holdRollUps();
    const nowMs = Date.now();
    const keys = ['key_a', 'key_b', 'key_c'];
    const records = (n: number) =>
      keys.map((key, place) => chat(key, nowMs - ((n + place) % 4) * MINUTE_MS, 10 * n + place));
    await settle(records(0), records(1), records(2));
    // The same minutes of the same keys are in sums and pending at once.
    await _held[Symbol.asyncDispose]();
    expect(await rollUp()).toBe(3);
    await using _again = await holdRollUps();
    await settle(records(0), records(1), records(3));
    expect(await pending()).toBe(3);
    const before = await usage();
    const counted = before.totals.totals?.requests;
    expect(Number(counted)).toBe(18);
    await _again[Symbol.asyncDispose]();
    expect(await rollUp()).toBe(3);
    expect(await pending()).toBe(0);
    expect(await usage()).toEqual(before);
  });

  it('is summed up once, however many do so at once, and the oldest first', async () => {
    await settle(...Array.from({ length: 30 }, (_, n) => [chat('key_a', Date.now(), n)]));
    expect(await pending()).toBe(30);
    expect(await rollUp(7)).toBe(7);
    const rows = await control.query('SELECT min(number) - 7 AS first FROM pending_settlements');
    expect(rows).toEqual([{ first: '1' }]);
    const counts = await Promise.all(Array.from({ length: 6 }, () => rollUp()));
    expect(counts.reduce((sum, count) => sum + count, await pending())).toBe(23);
    while ((await pending()) > 0) await rollUp();
    const sums = 'SELECT width, sum(requests)::int AS requests FROM usage_rollups GROUP BY 1 ORDER BY 1';
    expect(await control.query(sums)).toEqual([60, 3_600, DAY].map((width) => ({ width, requests: 30 })));
  });

  it('is summed up at once when it was reported late, because whoever reads usage would have to read so far back', async () => {
    await settle([chat('key_a', Date.now(), 1), chat('key_a', Date.now() - 6 * MINUTE_MS, 2)]);
    expect(await pending()).toBe(0);
    const sums = 'SELECT width, sum(requests)::int AS requests FROM usage_rollups GROUP BY 1 ORDER BY 1';
    expect(await control.query(sums)).toEqual([60, 3_600, DAY].map((width) => ({ width, requests: 2 })));
  });

  it('of a settlement that is being changed waits for the next time', async () => {
    await settle([chat('key_a', Date.now(), 1)], [chat('key_a', Date.now(), 2)]);
    const client = new Client({ connectionString: control.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM pending_settlements ORDER BY number LIMIT 1 FOR UPDATE');
      expect(await rollUp()).toBe(1);
      expect(await pending()).toBe(1);
    } finally {
      await client.end();
    }
    expect(await rollUp()).toBe(1);
  });
});

describe('a request of which only a part was known', () => {
  const record = (changes: object) =>
    usageRow({ requestId: 'req_cut', modelId: 'sim/chat-pro', allowanceId: null, ...changes });
  const charged = () =>
    control.query(
      `SELECT cost::text, charged::text, uncollected::text, input_tokens::int AS input FROM usage_records`,
    );
  const summed = () =>
    control.query(
      `SELECT requests::int, input_tokens::int AS input, charged::text FROM usage_rollups WHERE width = 60`,
    );

  async function known(): Promise<void> {
    const part = [record({ cost: '300', inputTokens: 3 })];
    await control.query('SELECT settle_usage($1::jsonb, true)', [JSON.stringify(part)]);
  }
  const reported = () => settleRows(control.query, [record({ cost: '500', inputTokens: 5 })]);

  it.each([
    ['already', false],
    ['not yet', true],
  ])('is charged and counted once, when the part is %s in the sums', async (_, isPending) => {
    await poolsOf(control).add({ account: 'acct_test' }, { includedUsd: '1.00' });
    const held = isPending ? await holdRollUps() : undefined;
    await known();
    if (!isPending) await rollUp();
    expect(await charged()).toEqual([{ cost: '300', charged: '300', uncollected: '0', input: 3 }]);
    expect(await pending()).toBe(isPending ? 1 : 0);
    await reported();
    await held?.[Symbol.asyncDispose]();
    await rollUp();
    expect(await pending()).toBe(0);
    expect(await charged()).toEqual([{ cost: '500', charged: '500', uncollected: '0', input: 5 }]);
    expect(await summed()).toEqual([{ requests: 1, input: 5, charged: '500' }]);
    await known();
    await reported();
    expect(await charged()).toEqual([{ cost: '500', charged: '500', uncollected: '0', input: 5 }]);
    expect(await summed()).toEqual([{ requests: 1, input: 5, charged: '500' }]);
  });

  it('is counted once when two report at the same time what it was in the end', async () => {
    const part = [record({ cost: '0', inputTokens: 3 })];
    await control.query('SELECT settle_usage($1::jsonb, true)', [JSON.stringify(part)]);
    await rollUp();
    const whole = [JSON.stringify([record({ cost: '0', inputTokens: 5 })])];
    const clients = [1, 2].map(() => new Client({ connectionString: control.databaseUrl }));
    await Promise.all(clients.map((client) => client.connect()));
    const [first, second] = clients;
    try {
      await first?.query('BEGIN');
      await first?.query('SELECT settle_usage($1::jsonb)', whole);
      const later = second?.query('SELECT settle_usage($1::jsonb)', whole);
      await until(
        async () =>
          (
            await control.query(
              `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            )
          ).length > 0,
      );
      await first?.query('COMMIT');
      await later;
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
    await rollUp();
    expect(await summed()).toEqual([{ requests: 1, input: 5, charged: '0' }]);
  });

  it('does not wait, while it has its pools, for the sums of others', async () => {
    await poolsOf(control).add({ account: 'acct_test' }, { includedUsd: '1.00' });
    await using _held = await holdRollUps();
    await settle([chat('key_a', Date.now(), 1)], [chat('key_a', Date.now(), 1)]);
    await _held[Symbol.asyncDispose]();
    expect(await rollUp(1)).toBe(1);
    const client = new Client({ connectionString: control.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM usage_rollups FOR UPDATE');
      await control.query(`SET lock_timeout = '10s'`);
      await known();
      expect(await charged()).toContainEqual({ cost: '300', charged: '300', uncollected: '0', input: 3 });
    } finally {
      await client.end();
    }
  });

  it('leaves nothing behind on the day on which it was thought to have ended', async () => {
    const endedAt = new Date(Date.now() - DAY * 1_000).toISOString();
    const part = [record({ cost: '0', inputTokens: 3, endedAt })];
    await control.query('SELECT settle_usage($1::jsonb, true)', [JSON.stringify(part)]);
    await reported();
    const days = 'SELECT requests::int FROM usage_rollups WHERE width = 86400 ORDER BY bucket';
    expect(await control.query(days)).toEqual([{ requests: 0 }, { requests: 1 }]);
  });

  it('and that the release before had stored is charged the rest in entries of its own', async () => {
    const { id: pool } = await poolsOf(control).add({ account: 'acct_test' }, { includedUsd: '1.00' });
    await known();
    await rollUp();
    await control.query(
      `UPDATE ledger_entries SET settlement = NULL, request_id = 'req_cut' WHERE kind = 'charge'`,
    );
    await control.query('UPDATE usage_records SET settlement = NULL, pool_id = NULL');
    await reported();
    expect(await charged()).toEqual([{ cost: '500', charged: '500', uncollected: '0', input: 5 }]);
    expect(
      await control.query(
        `SELECT pool_id, request_id, amount::int FROM ledger_entries WHERE kind = 'charge'`,
      ),
    ).toEqual([{ pool_id: pool, request_id: 'req_cut', amount: -500 }]);
    expect(await summed()).toEqual([{ requests: 1, input: 5, charged: '500' }]);
  });
});

it('the release before, which does not know what is pending, finds everything in the sums', async () => {
  await settle([chat('key_a', Date.now(), 1)]);
  expect(await pending()).toBe(1);
  await settleRows(control.query, [usageRow({ requestId: 'req_before' })]);
  expect(await pending()).toBe(0);
  const sums = 'SELECT sum(requests)::int AS requests FROM usage_rollups WHERE width = 60';
  expect(await control.query(sums)).toEqual([{ requests: 2 }]);
});

it('every unit is stored', () => {
  expect([...SETTLED_UNITS].sort()).toEqual(UNITS.map(({ unit }) => unit).sort());
});

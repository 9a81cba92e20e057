import { SETTLED_UNITS } from '@model-gateway/database';
import { UNITS } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { settledEvents } from '../../src/event-checks/settled-events.ts';
import { RollUpStore } from '../../src/roll-ups/roll-up-store.ts';
import { openTransaction } from '../fixtures/administration-fixture.ts';
import {
  at,
  CALL_DEADLINE_MS,
  type ControlPlanes,
  startControlPlanes,
} from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { outcomeOf, Settlement, type TestRecord } from '../fixtures/settlement-fixture.ts';

const DAY = 86_400;
const MINUTE_MS = 60_000;

let control: ControlPlanes;
/** Time of all usage queries of a test, in Unix seconds. */
let nowS: number;

beforeEach(async () => {
  nowS = Math.floor(Date.now() / 1_000);
  control = await startControlPlanes({ count: 2 });
});
afterEach(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
  await control[Symbol.asyncDispose]();
});

const openStore = () => new RollUpStore(control.prisma, settledEvents);
const rollUp = (max = 100): Promise<number> => openStore().rollUp(max);

/** Prevents summing until disposed. */
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

async function sums() {
  const [row] = await control.sql`
    SELECT coalesce(sum(requests) FILTER (WHERE width = 60), 0)::int AS minutes,
      coalesce(sum(requests) FILTER (WHERE width = 3600), 0)::int AS hours,
      coalesce(sum(requests) FILTER (WHERE width = 86400), 0)::int AS days,
      (SELECT coalesce(sum(requests), 0)::int FROM usage_days) AS "daysOfAllKeys"
    FROM usage_rollups`;
  return row;
}

/** All reads of the account's usage. */
async function usage() {
  const caller = at(control.callers, 0);
  const period = { startTime: Math.floor(nowS / DAY - 2) * DAY, endTime: Math.ceil(nowS / DAY) * DAY };
  const owner = { accountId: 'acct_test' };
  const questions = [0, 60, 3_600, DAY].flatMap((bucketWidth) =>
    ([[], ['model'], ['key', 'capability']] as const).flatMap((groupBy) => {
      const question = { owner, bucketWidth, limit: 100, groupBy: [...groupBy] };
      const whole = { ...question, startTime: period.startTime, endTime: period.endTime };
      const cut = { ...question, startTime: nowS - (nowS % 60) - 300, endTime: nowS - (nowS % 60) + 60 };
      return bucketWidth === 60 ? [cut] : [whole, cut];
    }),
  );
  const summaries = await Promise.all(
    questions.map((question) => caller.call(CALL_DEADLINE_MS, 'billing', 'getUsage', question)),
  );
  const totalsBy = (groupBy: string) =>
    control.admin('billing', 'getTotalUsage', {
      ...period,
      groupBy,
      limit: 100,
    });
  return { summaries, totals: await totalsBy('key'), byModel: await totalsBy('model') };
}

it('every summary reports the same usage before and after pending records are summed', async () => {
  await using _held = await holdRollUps();
  const nowMs = Date.now();
  const keys = ['key_a', 'key_b', 'key_c'];
  const records = (n: number) =>
    keys.map((key, place) => chat(key, nowMs - ((n + place) % 4) * MINUTE_MS, 10 * n + place));
  await settle(records(0), records(1), records(2));
  // Minutes of the same keys both summed and pending.
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

it('pending usage is summed once under any concurrency, oldest first', async () => {
  await settle(...Array.from({ length: 30 }, (_, n) => [chat('key_a', Date.now(), n)]));
  expect(await pending()).toBe(30);
  expect(await rollUp(7)).toBe(7);
  const rows = await control.query('SELECT min(number) - 7 AS first FROM pending_settlements');
  expect(rows).toEqual([{ first: '1' }]);
  const counts = await Promise.all(Array.from({ length: 6 }, () => rollUp()));
  expect(counts.reduce((sum, count) => sum + count, await pending())).toBe(23);
  while ((await pending()) > 0) await rollUp();
  expect(await sums()).toEqual({ minutes: 30, hours: 0, days: 0, daysOfAllKeys: 0 });
});

it('usage reported late is summed at once, because reads would have to look far back', async () => {
  // Since the migrations of the database were applied, more than these minutes may have passed.
  await control.query(`UPDATE rollup_watermark SET until = date_bin('1 minute', now(), 'epoch')`);
  await settle([chat('key_a', Date.now(), 1), chat('key_a', Date.now() - 6 * MINUTE_MS, 2)]);
  expect(await pending()).toBe(0);
  expect(await sums()).toEqual({ minutes: 2, hours: 1, days: 1, daysOfAllKeys: 1 });
});

it('a settlement that is being changed is summed the next time', async () => {
  await settle([chat('key_a', Date.now(), 1)], [chat('key_a', Date.now(), 2)]);
  {
    await using client = await openTransaction(control);
    await client.query('SELECT FROM pending_settlements ORDER BY number LIMIT 1 FOR UPDATE');
    expect(await rollUp()).toBe(1);
    expect(await pending()).toBe(1);
  }
  expect(await rollUp()).toBe(1);
});

/** All reports of a request in one minute, even if the test runs into the next. */
const record = (changes: UsageRowChanges) => {
  const endedAt = new Date(nowS * 1_000).toISOString();
  return usageRow({ requestId: 'req_cut', modelId: 'sim/chat-pro', allowanceId: null, endedAt, ...changes });
};
const charged = () =>
  control.sql`
    SELECT cost::text, charged::text, uncollected::text, input_tokens::int AS input FROM usage_records`;
const summed = () =>
  control.sql`
    SELECT requests::int, input_tokens::int AS input, charged::text FROM usage_rollups WHERE width = 60`;

async function settlePart(): Promise<void> {
  const part = [record({ cost: '300', inputTokens: 3 })];
  await settleRows(control.query, part, true);
}
const settleWhole = () => settleRows(control.query, [record({ cost: '500', inputTokens: 5 })]);

it.each([
  ['already', false],
  ['not yet', true],
])(
  'a partly known request is charged and counted once, when the part is %s in the sums',
  async (_, isPending) => {
    await poolsOf(control).add({ kind: 'account', id: 'acct_test' }, { includedUsd: '1.00' });
    const held = isPending ? await holdRollUps() : undefined;
    await settlePart();
    if (!isPending) await rollUp();
    expect(await charged()).toEqual([{ cost: '300', charged: '300', uncollected: '0', input: 3 }]);
    expect(await pending()).toBe(isPending ? 1 : 0);
    await settleWhole();
    await held?.[Symbol.asyncDispose]();
    await rollUp();
    expect(await pending()).toBe(0);
    expect(await charged()).toEqual([{ cost: '500', charged: '500', uncollected: '0', input: 5 }]);
    expect(await summed()).toEqual([{ requests: 1, input: 5, charged: '500' }]);
    await settlePart();
    await settleWhole();
    expect(await charged()).toEqual([{ cost: '500', charged: '500', uncollected: '0', input: 5 }]);
    expect(await summed()).toEqual([{ requests: 1, input: 5, charged: '500' }]);
  },
);

it('a partly known request counts once when two report its end at the same time', async () => {
  const part = [record({ cost: '0', inputTokens: 3 })];
  await settleRows(control.query, part, true);
  await rollUp();
  const whole = [record({ cost: '0', inputTokens: 5 })];
  const first = new Client({ connectionString: control.databaseUrl });
  const second = new Client({ connectionString: control.databaseUrl });
  const clients = [first, second];
  await Promise.all(clients.map((client) => client.connect()));
  try {
    await first.query('BEGIN');
    await settleRows((...statement) => first.query(...statement), whole);
    const later = settleRows((...statement) => second.query(...statement), whole);
    await until(
      async () =>
        (
          await control.sql`
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        ).length > 0,
    );
    await first.query('COMMIT');
    await later;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
  await rollUp();
  expect(await summed()).toEqual([{ requests: 1, input: 5, charged: '0' }]);
});

it('completing a partly known request does not wait for roll-ups while it has locked pools', async () => {
  await poolsOf(control).add({ kind: 'account', id: 'acct_test' }, { includedUsd: '1.00' });
  await using _held = await holdRollUps();
  await settle([chat('key_a', Date.now(), 1)], [chat('key_a', Date.now(), 1)]);
  await _held[Symbol.asyncDispose]();
  expect(await rollUp(1)).toBe(1);
  {
    await using client = await openTransaction(control);
    await client.query('SELECT FROM usage_rollups FOR UPDATE');
    await control.query(`SET lock_timeout = '10s'`);
    await settlePart();
    expect(await charged()).toContainEqual({ cost: '300', charged: '300', uncollected: '0', input: 3 });
  }
});

it('completing a partly known request leaves nothing on the day of its assumed end', async () => {
  const endedAt = new Date(Date.now() - DAY * 1_000).toISOString();
  const part = [record({ cost: '0', inputTokens: 3, endedAt })];
  await settleRows(control.query, part, true);
  await settleWhole();
  const days = 'SELECT requests::int FROM usage_rollups WHERE width = 86400';
  expect(await control.query(days)).toEqual([{ requests: 0 }]);
  expect(await control.query('SELECT requests::int FROM usage_days')).toEqual([{ requests: 0 }]);
  expect(await sums()).toMatchObject({ minutes: 1 });
});

/** Back-dates the database by three hours. */
const makeOlder = () => control.query(`UPDATE rollup_watermark SET until = until - interval '3 hours'`);
const minutesAgo = (minutes: number) => Date.now() - minutes * MINUTE_MS;
/** One request per minute of one of three keys, from 49 to 10 minutes ago: all of them may be widened. */
async function settleMinutes(): Promise<void> {
  const keys = ['key_a', 'key_b', 'key_c'];
  const ended = Array.from({ length: 40 }, (_, minutes) => minutesAgo(minutes + 10));
  await settle(...ended.map((endedAt, place) => [chat(at(keys, place % 3), endedAt, place)]));
  await rollUp();
}

it('every summary reports the same usage before and after minutes are added to hours and days', async () => {
  await makeOlder();
  await settleMinutes();
  // This minute is too young to be widened.
  await settle([chat('key_a', Date.now(), 1)]);
  await rollUp();
  expect(await sums()).toEqual({ minutes: 41, hours: 0, days: 0, daysOfAllKeys: 0 });
  const before = await usage();
  expect(before.totals.totals?.requests).toBe('41');
  const store = openStore();
  for (const done of [7, 14, 21]) {
    expect(await store.widen(7)).toBe(true);
    expect(await usage()).toEqual(before);
    expect(await sums()).toEqual({ minutes: 41, hours: done, days: done, daysOfAllKeys: done });
  }
  while (await store.widen(1));
  expect(await sums()).toMatchObject({ hours: 40 });
  expect(await usage()).toEqual(before);
});

it('minutes are added to hours and days once under any concurrency', async () => {
  await makeOlder();
  await settleMinutes();
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const store = openStore();
      for (let round = 0; round < 10; round++) await store.widen(1);
    }),
  );
  const store = openStore();
  while (await store.widen(1));
  expect(await sums()).toMatchObject({ hours: 40, days: 40, daysOfAllKeys: 40 });
});

it('a request reported after its hour and day were summed is added to them', async () => {
  await makeOlder();
  await settleMinutes();
  const store = openStore();
  while (await store.widen(1));
  await settle([chat('key_a', minutesAgo(20), 1)]);
  expect(await sums()).toEqual({ minutes: 41, hours: 41, days: 41, daysOfAllKeys: 41 });
  const before = await usage();
  expect(before.totals.totals?.requests).toBe('41');
  await settle([chat('key_a', minutesAgo(1), 1)]);
  await rollUp();
  expect(await sums()).toMatchObject({ minutes: 42, hours: 41 });
});

it('minutes wait while somebody adds a request to one of them', async () => {
  await makeOlder();
  await settleMinutes();
  const store = openStore();
  await using late = await openTransaction(control);
  await settleRows(
    (sql, values) => late.query(sql, values).then(({ rows }) => rows),
    [usageRow({ requestId: 'req_late', endedAt: new Date(minutesAgo(40)).toISOString() })],
  );
  expect(await store.widen(20)).toBe(false);
  await late.query('COMMIT');
  expect(await store.widen(20)).toBe(true);
  expect(await sums()).toEqual({ minutes: 41, hours: 21, days: 21, daysOfAllKeys: 21 });
});

it('empty minutes of a month are skipped at once', async () => {
  await control.query(`UPDATE rollup_watermark SET until = now() - interval '30 days'`);
  await settle([chat('key_a', minutesAgo(30 * 24 * 60 - 10), 1)], [chat('key_a', minutesAgo(15), 1)]);
  const store = openStore();
  expect([await store.widen(10), await store.widen(10), await store.widen(10)]).toEqual([true, true, false]);
  expect(await sums()).toEqual({ minutes: 2, hours: 2, days: 2, daysOfAllKeys: 2 });
});

it('every unit has a column in the roll-ups', () => {
  expect([...SETTLED_UNITS].sort()).toEqual(UNITS.map(({ unit }) => unit).sort());
});

import { lookupHash } from '@model-gateway/shared';
import { startRedisServer, until, watchLag } from '@model-gateway/test-kit';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { administer, insertAccount } from '../fixtures/administration-fixture.ts';
import { startControlPlanes, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderUsageOf } from '../fixtures/holder-usage-fixture.ts';
import type { Watch } from '../fixtures/key-watch-fixture.ts';
import { rulesOf } from '../fixtures/rules-fixture.ts';

const control = useControlPlanes();
let accounts = 0;
const watches: Watch[] = [];
// A leftover watch would get the questions of later tests and never reply.
afterEach(() => {
  for (const watch of watches.splice(0)) watch.cancel();
});

async function newHolder(of = control) {
  accounts += 1;
  const accountId = await insertAccount(of, `limits_${accounts}`);
  const key = await administer(of).createKey({ account: accountId });
  const { limits } = holderUsageOf(of, accountId);
  const used = async () => {
    const { keys } = await limits();
    return Object.fromEntries(
      keys.map(({ keyId, limits }) => [
        keyId,
        Object.fromEntries(limits.flatMap(({ name, used }) => (used === undefined ? [] : [[name, used]]))),
      ]),
    );
  };
  return { accountId, keyId: key.id, limits, used };
}

/** Starts a data plane that watches and is known to the control planes. */
async function watching(): Promise<Watch> {
  const watch = control.watch();
  watches.push(watch);
  await watch.welcome();
  await watch.heartbeat();
  watch.keepPinging();
  return watch;
}

async function timed<Answer>(answer: Promise<Answer>): Promise<{ answer: Answer; tookMs: number }> {
  const startedAtMs = performance.now();
  return { answer: await answer, tookMs: performance.now() - startedAtMs };
}

it("a holder's limits are defaults, the account's own, and the team's for a key on a seat", async () => {
  const { accountId, keyId, limits } = await newHolder();
  const admin = administer(control);
  const window = { windowSeconds: 60 };
  await admin.setLimits({
    account: accountId,
    paidPerMinute: { value: 7 },
    concurrentStreams: { value: 2 },
  });
  const team = await admin.createTeam({ requestsPerMinute: 50 });
  const seat = await admin.addSeat(team.id, accountId);
  const onSeat = await admin.createKey({ account: accountId, seatId: seat.id, name: 'on the seat' });
  expect((await limits()).keys).toMatchObject([
    {
      keyId: onSeat.id,
      keyName: 'on the seat',
      limits: [
        { name: 'key.free', limit: 60, ...window },
        { name: 'key.paid', limit: 7, ...window },
        { name: 'team', limit: 50, ...window },
        { name: 'key.reads', limit: 300, ...window },
        { name: 'key.streams', limit: 2 },
      ],
    },
    {
      keyId,
      limits: [
        { name: 'key.free' },
        { name: 'key.paid', limit: 7 },
        { name: 'key.reads' },
        { name: 'key.streams', limit: 2 },
      ],
    },
  ]);
  expect((await limits()).keys[1]?.limits[3]?.windowSeconds).toBeUndefined();
});

it('limits of rules are listed, the lowest of all levels', async () => {
  const { accountId, keyId, limits } = await newHolder();
  const store = (owner: string, rules: object) =>
    control.sql`INSERT INTO rules (owner, rules) VALUES (${owner}, ${JSON.stringify(rules)}::jsonb)`;
  await store(`key:${keyId}`, { tokens_per_minute: 900, streams: 3 });
  await store(`account:${accountId}`, { tokens_per_minute: 5_000, requests_per_minute: 20, streams: 4 });
  expect((await limits()).keys[0]?.limits).toMatchObject([
    { name: 'key.free', limit: 60 },
    { name: 'key.paid', limit: 100 },
    { name: 'key-requests', limit: 20, windowSeconds: 60 },
    { name: 'key.reads', limit: 300 },
    { name: 'key-tokens', limit: 900, windowSeconds: 60 },
    { name: 'key.streams', limit: 3 },
  ]);
});

it('a rotated key lists the limits of the rules that it shares with its first key', async () => {
  const { keyId, limits } = await newHolder();
  await rulesOf(control).set({ kind: 'key', id: keyId }, { tokens_per_minute: 900 });
  const { key } = await control.admin('accounts', 'rotateKey', { keyId, overlapMs: 0 });
  const [listed] = (await limits()).keys;
  expect(listed?.keyId).toBe(key?.id);
  expect(listed?.limits.find(({ name }) => name === 'key-tokens')?.limit).toBe(900);
});

it('limits list active issued keys only', async () => {
  const { accountId, keyId, limits } = await newHolder();
  const revoked = await administer(control).createKey({ account: accountId });
  await control.revokeKey(revoked.id);
  for (const [kind, expiresAt] of [
    ['demo', null],
    ['playground', new Date(Date.now() + 60_000)],
  ]) {
    await control.sql`INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix, kind, expires_at)
       VALUES (${`${keyId}_${kind}`}, ${accountId}, 'hidden', ${lookupHash('pepper', `${keyId} ${kind}`)}, 'gw_live_12345678', ${kind}, ${expiresAt})`;
  }
  expect((await limits()).keys.map((key) => key.keyId)).toEqual([keyId]);
});

it('limits come without their use while no data plane is connected', async () => {
  const { used, keyId } = await newHolder();
  expect(await used()).toEqual({ [keyId]: {} });
});

async function insertKeys(accountId: string, count: number): Promise<void> {
  await control.query(
    `INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix, created_at)
     SELECT $1 || '_' || n, $1, 'many', 'v2:' || encode(sha256(($1 || n)::bytea), 'hex'), 'gw_live_12345678',
       now() - interval '1 day'
     FROM generate_series(1, $2::int) n`,
    [accountId, count],
  );
}

it('only the newest keys have their use of limits read', async () => {
  const { accountId, keyId, limits } = await newHolder();
  await insertKeys(accountId, 200);
  const watch = await watching();
  const asked = limits();
  const { questionId, keys } = await watch.limitQuestion();
  expect(keys).toHaveLength(100);
  watch.reportLimits(questionId, { [keyId]: { 'key.free': 3 } });
  const answer = await asked;
  expect(answer.keys).toHaveLength(201);
  expect(answer.keys[0]?.limits[0]).toMatchObject({ name: 'key.free', used: 3 });
});

it('use is requested from all data planes and summed', async () => {
  const { keyId, accountId, used } = await newHolder();
  const both = await Promise.all([watching(), watching()]);
  const asked = used();
  for (const [index, watch] of both.entries()) {
    const { questionId, keys } = await watch.limitQuestion();
    expect(keys).toMatchObject([{ keyId, accountId, limits: { freePerMinute: 60, concurrentStreams: 10 } }]);
    watch.reportLimits(questionId, { [keyId]: { 'key.free': 3 + index, 'key.streams': 1, unknown: 5 } });
  }
  expect(await asked).toEqual({ [keyId]: { 'key.free': 7, 'key.streams': 2 } });
});

it('use is left out when a data plane does not reply within a second, and late replies change nothing', async () => {
  const { keyId, used } = await newHolder();
  const [quick, slow] = await Promise.all([watching(), watching()]);
  using lag = watchLag();
  const asked = timed(used());
  const { questionId } = await quick.limitQuestion();
  quick.reportLimits(questionId, { [keyId]: { 'key.free': 3 } });
  // A second report of the same data plane is not the other's.
  quick.reportLimits(questionId, { [keyId]: { 'key.free': 3 } });
  const { answer, tookMs } = await asked;
  expect(answer).toEqual({ [keyId]: {} });
  expect(tookMs).toBeGreaterThan(900);
  expect(tookMs).toBeLessThan(3_000 + lag.allowanceMs());

  const again = used();
  slow.reportLimits(questionId, { [keyId]: { 'key.free': 100 } });
  for (const watch of [quick, slow]) {
    const next = await watch.limitQuestion(2);
    watch.reportLimits(next.questionId, { [keyId]: { 'key.free': 1 } });
  }
  expect(await again).toEqual({ [keyId]: { 'key.free': 2 } });
});

it('the use of a key is unknown if one data plane does not count it in memory', async () => {
  const { keyId, used } = await newHolder();
  const [inMemory, inRedis] = await Promise.all([watching(), watching()]);
  const asked = used();
  const { questionId } = await inMemory.limitQuestion();
  inMemory.reportLimits(questionId, { [keyId]: { 'key.free': 3 } });
  inRedis.reportLimits((await inRedis.limitQuestion()).questionId, {});
  expect(await asked).toEqual({ [keyId]: {} });
});

describe.skipIf(inject('redis') === undefined)('limits counted in Redis', () => {
  it('use in Redis is left out within half a second while Redis is down or hangs, and returns afterwards', async () => {
    await using server = await startRedisServer();
    if (server === undefined) throw new Error('there was a redis-server before');
    await using planes = await startControlPlanes({ environment: { REDIS_URL: server.url } });
    const { keyId, used } = await newHolder(planes);
    const nothing = { 'key.free': 0, 'key.paid': 0, 'key.reads': 0, 'key.streams': 0 };
    expect(await used()).toEqual({ [keyId]: nothing });
    using lag = watchLag();
    server.suspend();
    const hanging = await timed(used());
    server.resume();
    expect(hanging.answer).toEqual({ [keyId]: {} });
    expect(hanging.tookMs).toBeLessThan(1_500 + lag.allowanceMs());
    await until(async () => (await used())[keyId]?.['key.free'] === 0);
    await server.stop();
    const gone = await timed(used());
    expect(gone.answer).toEqual({ [keyId]: {} });
    expect(gone.tookMs).toBeLessThan(1_500 + lag.allowanceMs());
  });
});

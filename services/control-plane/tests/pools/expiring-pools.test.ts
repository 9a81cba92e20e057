import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { afterAll, expect, it } from 'vitest';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { poolAmounts, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { entriesIn, type NewTestPool, poolsOf, settle } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;
const HOUR_MS = 3_600_000;

const control = useControlPlanes({ count: 2 });
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

async function payerWith(...pools: NewTestPool[]) {
  const accountId = await insertAccount(control, randomUUID());
  const owner = { kind: 'account', id: accountId };
  const ids: string[] = [];
  for (const more of pools) ids.push((await poolsOf(control).add(owner, more)).id);
  return { accountId, owner, ids, pool: at(ids, 0) };
}

const entriesOf = entriesIn(control);
const inAnHour = (more: NewTestPool = {}) => ({ ...more, expiresAtMs: Date.now() + HOUR_MS });

/** Lets a pool expire. The control planes' sweeper or the next request removes it. */
const expire = (pool: string) =>
  control.sql`UPDATE pools SET expires_at = now() - interval '1 ms' WHERE id = ${pool}`;

it('the pool that ends first is used first, by its expiry or its reset', async () => {
  const now = Date.now();
  const { accountId, owner } = await payerWith(
    { name: 'never' },
    { name: 'in two months', expiresAtMs: now + 62 * 24 * HOUR_MS },
    { name: 'monthly', resets: 'monthly' },
    { name: 'unlimited until', unlimited: true, expiresAtMs: now + 60_000 },
    { name: 'soon', expiresAtMs: now + 120_000 },
  );
  const names = (await poolsOf(control).list(owner)).map(({ name }) => name);
  expect(names).toEqual(['soon', 'monthly', 'in two months', 'never', 'unlimited until']);
  await new TestAllowance(control, accountId).acquire({ needs: [USD] });
  expect(
    await control.sql`SELECT name FROM pools WHERE held > 0 AND owner = ${`account:${accountId}`}`,
  ).toEqual([{ name: 'soon' }]);
});

it('money left in an expired pool cannot be spent, and the ledger takes it out', async () => {
  const { accountId, owner, pool } = await payerWith(inAnHour());
  await settle(control, [{ requestId: randomUUID(), cost: 2 * USD, owner: { accountId } }]);
  await expire(pool);
  expect(await poolsOf(control).list(owner)).toEqual([]);
  expect(await new TestAllowance(control, accountId).acquire({ needs: [1] })).toMatchObject({
    covered: 0,
    available: '0',
  });
  expect(await entriesOf(pool)).toEqual([
    ['included', 5 * USD],
    ['charge', -2 * USD],
    ['expired', -3 * USD],
  ]);
  const change = control.admin('pools', 'changePool', { poolId: pool, includedUsd: '9.00' });
  await expectRefusal(change, GrpcStatus.FAILED_PRECONDITION);
});

it('a call for many payers grants nothing from expired pools', async () => {
  const { accountId, pool } = await payerWith(inAnHour());
  const allowance = new TestAllowance(control, accountId);
  await allowance.acquire();
  await expire(pool);
  const { answers } = await control.caller('billing', 'acquireAllowances', {
    allowances: [allowance.request({ needs: [1] })],
  });
  expect(answers).toEqual({});
});

it('running requests can use their reserved money after the expiry, and its rest lapses when it returns', async () => {
  const { accountId, pool } = await payerWith(inAnHour());
  const running = new TestAllowance(control, accountId);
  await running.acquire({ needs: [3 * USD] });
  await expire(pool);
  await until(async () => (await poolAmounts(control, pool))?.remaining === '0');
  await settle(control, [
    { requestId: randomUUID(), cost: USD, allowanceId: running.id, owner: { accountId } },
  ]);
  await running.returnUnused({ close: true });
  expect(await poolAmounts(control, pool)).toEqual({
    included: String(USD),
    remaining: '0',
    held: '0',
    charged: String(USD),
  });
  expect(await entriesOf(pool)).toEqual([
    ['included', 5 * USD],
    ['expired', -2 * USD],
    ['charge', -USD],
    ['expired', -2 * USD],
  ]);
});

it('data planes are asked to return the unused money of an expired pool', async () => {
  const { accountId, pool } = await payerWith(inAnHour());
  const watch = await control.dataPlane(1);
  await watch.heartbeat();
  const allowance = new TestAllowance(control, accountId, watch.instanceId);
  await allowance.acquire({ needs: [USD / 10], spare: USD / 2 });
  await expire(pool);
  const recall = await allowance.waitForRecall(watch);
  await allowance.returnUnused({ returned: USD / 2, recall });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: '0', held: String(USD / 10) });
  watch.cancel();
});

it('a monthly pool is refilled until it expires, and not afterwards', async () => {
  const { owner, pool } = await payerWith(inAnHour({ resets: 'monthly' }), {
    resets: 'monthly',
    expiresAtMs: Date.now() + 62 * 24 * HOUR_MS,
  });
  expect((await poolsOf(control).list(owner)).map(({ resetsAt }) => resetsAt !== undefined)).toEqual([
    new Date(Date.now() + HOUR_MS).getUTCMonth() !== new Date().getUTCMonth(),
    true,
  ]);
  const { accountId } = await payerWith({ resets: 'monthly', expiresAtMs: Date.now() + 60_000 });
  const refused = await new TestAllowance(control, accountId).acquire({ needs: [9 * USD] });
  expect(refused).toMatchObject({ covered: 0, available: String(5 * USD) });
  expect(refused).not.toHaveProperty('resetsAt');
  await control.sql`
    UPDATE pools SET resets_at = now() - interval '1 minute', expires_at = now() - interval '2 minutes'
    WHERE id = ${pool}`;
  await control.sql`SELECT lock_pools(ARRAY[${pool}])`;
  expect(await entriesOf(pool)).toEqual([
    ['included', 5 * USD],
    ['expired', -5 * USD],
  ]);
  expect(await control.sql`SELECT resets_at FROM pools WHERE id = ${pool}`).toEqual([{ resets_at: null }]);
});

it('an expired unlimited pool pays for nothing', async () => {
  const { accountId, pool } = await payerWith(inAnHour({ unlimited: true }));
  const running = new TestAllowance(control, accountId);
  await running.acquire({ needs: [2 * USD] });
  await settle(control, [
    { requestId: randomUUID(), cost: USD, allowanceId: running.id, owner: { accountId } },
  ]);
  await expire(pool);
  expect(await new TestAllowance(control, accountId).acquire({ needs: [1] })).toMatchObject({ covered: 0 });
  await running.returnUnused({ close: true });
  expect(await poolAmounts(control, pool)).toEqual({
    included: String(USD),
    remaining: '0',
    held: '0',
    charged: String(USD),
  });
});

it('moved money keeps its expiry', async () => {
  const { accountId, pool } = await payerWith(inAnHour({ name: 'Credit' }));
  const { id } = await administer(control).createTeam({ account: accountId });
  const team = { kind: 'team', id };
  const other = await poolsOf(control).add(team, { name: 'Credit' });
  const { from, to } = await holderOf(control, accountId).moveMoney(pool, team, '1.00');
  expect(to?.id).not.toBe(other.id);
  expect(to?.expiresAt).toBe(from?.expiresAt);
  const again = await holderOf(control, accountId).moveMoney(pool, team, '1.00');
  expect(again.to).toMatchObject({ id: to?.id, included: String(2 * USD) });
});

it('a new pool cannot expire in the past', async () => {
  const { owner } = await payerWith(inAnHour());
  const past = poolsOf(control).add(owner, { expiresAtMs: Date.now() - 1 });
  await expectRefusal(past, GrpcStatus.INVALID_ARGUMENT);
});

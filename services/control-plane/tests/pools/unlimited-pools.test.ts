import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, expect, it } from 'vitest';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { newPayer, poolAmounts, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf, messageOf } from '../fixtures/holder-fixture.ts';
import { entriesIn, poolsOf, settle } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;
/** Exceeds the amount that a limited pool can include. */
const HUGE = 20_000_000 * USD;

const control = useControlPlanes({ count: 2 });
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

async function unlimitedPayer(resets = 'never') {
  const accountId = await insertAccount(control, randomUUID());
  const owner = { kind: 'account', id: accountId };
  const { id } = await poolsOf(control).add(owner, { unlimited: true, resets });
  return { accountId, owner, pool: id };
}

const entriesOf = entriesIn(control);

const change = (poolId: string, amount: { includedUsd?: string; unlimited?: boolean }) =>
  control.admin('pools', 'changePool', { poolId, ...amount });

it('an unlimited pool covers any amount at once, and counts the usage', async () => {
  const { accountId, owner, pool } = await unlimitedPayer();
  const allowance = new TestAllowance(control, accountId);
  expect(await allowance.acquire({ needs: [HUGE, HUGE], spare: USD })).toMatchObject({
    covered: 2,
    recall: 0,
  });
  expect(await poolsOf(control).list(owner)).toMatchObject([
    { name: 'Unlimited', unlimited: true, held: String(2 * HUGE), charged: '0' },
  ]);
  await settle(control, [
    { requestId: randomUUID(), cost: HUGE, allowanceId: allowance.id, owner: { accountId } },
  ]);
  await allowance.returnUnused({ close: true });
  expect(await poolAmounts(control, pool)).toMatchObject({ held: '0', charged: String(HUGE) });
  expect(await entriesOf(pool)).toEqual([
    ['included', 0],
    ['charge', -HUGE],
  ]);
});

it('many payers with unlimited pools get money in one call', async () => {
  const payers = [await unlimitedPayer(), await unlimitedPayer()];
  const allowances = payers.map(({ accountId }) => new TestAllowance(control, accountId, 'together'));
  await control.sql`
    INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
    VALUES ('together', 'test', 0, now() + interval '1 hour')`;
  const { answers } = await control.caller('billing', 'acquireAllowances', {
    allowances: allowances.map((each) => each.request({ needs: [USD], spare: USD })),
  });
  expect(Object.values(answers).map(({ granted }) => granted)).toEqual([String(2 * USD), String(2 * USD)]);
});

it('limited pools of a level are used before its unlimited one, and the next level is not used', async () => {
  const pools = poolsOf(control);
  const admin = administer(control);
  const team = await admin.createTeam();
  const member = await insertAccount(control, 'member');
  const { id: seatId } = await admin.addSeat(team.id, member);
  const seat = { kind: 'seat', id: seatId };
  await pools.add({ kind: 'team', id: team.id }, { includedUsd: '5.00' });
  const unlimited = await pools.add(seat, { unlimited: true, resets: 'monthly' });
  const limited = await pools.add(seat, { includedUsd: '1.00' });
  expect((await pools.list(seat)).map(({ id }) => id)).toEqual([limited.id, unlimited.id]);
  const owner = { accountId: member, seatId, teamId: team.id };
  await settle(control, [{ requestId: randomUUID(), cost: 3 * USD, owner }]);
  const charged = await control.sql`SELECT charged FROM pools ORDER BY created_at`;
  expect(charged.slice(-3).map((row) => row.charged)).toEqual(['0', String(2 * USD), String(USD)]);
});

it('with an unlimited pool nothing is uncollected, and requests of the payer run side by side again', async () => {
  const { accountId, pool } = await newPayer(control, '1');
  const unpaid = usageRow({ accountId, requestId: randomUUID(), cost: String(5 * USD), priceVersion: 1 });
  await settleRows(control.query, [unpaid]);
  const busy = new TestAllowance(control, accountId);
  expect(await busy.acquire({ needs: [1, 1] })).toMatchObject({ covered: 0, uncollected: String(4 * USD) });
  await poolsOf(control).add({ kind: 'account', id: accountId }, { unlimited: true });
  expect(await busy.acquire({ needs: [1, 1, 1] })).toMatchObject({ covered: 3, uncollected: '0' });
  expect(await control.sql`SELECT uncollected FROM pools WHERE id = ${pool}`).toEqual([{ uncollected: '0' }]);
  const requestId = randomUUID();
  await settle(control, [{ requestId, cost: HUGE, owner: { accountId } }]);
  expect(await control.sql`SELECT uncollected FROM usage_records WHERE request_id = ${requestId}`).toEqual([
    { uncollected: '0' },
  ]);
});

it('a pool becomes unlimited and limited again, but never includes less than is used', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const owner = { accountId };
  await settle(control, [{ requestId: randomUUID(), cost: 5 * USD, owner }]);
  expect(await change(pool, { unlimited: true })).toMatchObject({ unlimited: true, name: 'Unlimited' });
  await change(pool, { unlimited: true });
  await settle(control, [{ requestId: randomUUID(), cost: 5 * USD, owner }]);
  expect(await messageOf(change(pool, { includedUsd: '9.00' }))).toMatch(
    /10\.00 US dollars of the pool are used/,
  );
  expect(await change(pool, { includedUsd: '12.00' })).toMatchObject({
    unlimited: false,
    name: '12.00 USD',
    remaining: String(2 * USD),
  });
  expect(await entriesOf(pool)).toEqual([
    ['included', 5 * USD],
    ['charge', -5 * USD],
    ['changed', -5 * USD],
    ['charge', -5 * USD],
    ['changed', 12 * USD],
  ]);
  for (const amount of [{}, { unlimited: true, includedUsd: '1.00' }]) {
    await expectRefusal(change(pool, amount), GrpcStatus.INVALID_ARGUMENT);
  }
});

it('nothing is taken out of an unlimited pool that is removed, and running requests are charged to it', async () => {
  const { accountId, owner, pool } = await unlimitedPayer();
  const allowance = new TestAllowance(control, accountId);
  await allowance.acquire({ needs: [2 * USD] });
  for (const _ of ['at once', 'again']) {
    expect(await control.admin('pools', 'removePool', { poolId: pool })).toMatchObject({ taken: '0' });
  }
  expect(await poolsOf(control).list(owner)).toEqual([]);
  const other = new TestAllowance(control, accountId);
  expect(await other.acquire({ needs: [1] })).toMatchObject({ covered: 0, available: '0' });
  await settle(control, [
    { requestId: randomUUID(), cost: USD, allowanceId: allowance.id, owner: { accountId } },
  ]);
  await allowance.returnUnused({ close: true });
  expect(await poolAmounts(control, pool)).toEqual({
    included: String(USD),
    remaining: '0',
    held: '0',
    charged: String(USD),
  });
});

it('an unlimited pool that resets counts from zero every month', async () => {
  const { accountId, owner, pool } = await unlimitedPayer('monthly');
  await settle(control, [{ requestId: randomUUID(), cost: 3 * USD, owner: { accountId } }]);
  await control.sql`UPDATE pools SET resets_at = now() - interval '1 minute' WHERE id = ${pool}`;
  await control.sql`SELECT lock_pools(ARRAY[${pool}])`;
  expect(await poolsOf(control).list(owner)).toMatchObject([{ unlimited: true, charged: '0' }]);
  expect((await entriesOf(pool)).at(-1)).toEqual(['reset', 3 * USD]);
});

it('no money is moved out of an unlimited pool or into one', async () => {
  const { accountId, owner, pool } = await unlimitedPayer();
  const admin = administer(control);
  const team = await admin.createTeam({ account: accountId });
  const limited = await poolsOf(control).add({ kind: 'team', id: team.id }, { name: 'Unlimited' });
  const { moveMoney } = holderOf(control, accountId);
  const toTeam = moveMoney(pool, { kind: 'team', id: team.id }, '1.00');
  expect(await messageOf(toTeam)).toContain('the pool is unlimited');
  expect((await moveMoney(limited.id, owner, '1.00')).to).toMatchObject({
    unlimited: false,
    included: String(USD),
  });
});

it('a list of accounts says which have an unlimited balance', async () => {
  const { accountId } = await unlimitedPayer();
  await poolsOf(control).add({ kind: 'account', id: accountId }, { includedUsd: '2.00' });
  const { accounts } = await control.admin('accounts', 'listAccounts', { search: accountId, withLeft: true });
  expect(accounts).toMatchObject([{ unlimited: true, left: String(2 * USD) }]);
});

it('a payer can have a thousand unlimited pools', async () => {
  const { accountId } = await unlimitedPayer();
  await control.sql`
    INSERT INTO pools (id, name, owner, included, remaining, unlimited)
    SELECT ${accountId} || n, 'Unlimited', 'account:' || ${accountId}, 0, 0, true
    FROM generate_series(1, 999) AS n`;
  const allowance = new TestAllowance(control, accountId);
  expect(await allowance.acquire({ needs: [USD] })).toMatchObject({ covered: 1 });
});

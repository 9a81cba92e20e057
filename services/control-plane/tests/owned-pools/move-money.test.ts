import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import type { PayerLevel } from '@model-gateway/shared';
import { beforeAll, expect, it } from 'vitest';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { poolAmounts, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf, messageOf } from '../fixtures/holder-fixture.ts';
import { hold, poolsOf, settle } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;

const control = useControlPlanes({ count: 2 });
let team: string;
let seat: string;

beforeAll(async () => {
  const owner = holderOf(control, 'acct_test');
  team = (await owner.createTeam('Research')).id;
  await insertAccount(control, 'member');
  seat = (await administer(control).addSeat(team, 'member@example.com')).id;
});

async function richAccount(
  name: string,
  pool: { includedUsd?: string; resets?: string; name?: string } = {},
) {
  const holder = holderOf(control, await insertAccount(control, name));
  const { id: poolId } = await poolsOf(control).add({ kind: 'account', id: holder.accountId }, pool);
  return { holder, poolId, teamId: (await holder.createTeam()).id };
}

const disagreements = async () => (await poolsOf(control).verify()).disagreements;
const own = { kind: 'account', id: 'acct_test' };

it('moved money leaves its pool for another that resets on the same day and pays for its new owner', async () => {
  const { holder, poolId, teamId } = await richAccount('rich', { resets: 'monthly', name: 'Monthly' });
  const { from, to } = await holder.moveMoney(poolId, { kind: 'team', id: teamId }, '1.250000001');
  const [resetsAt] =
    await control.sql`SELECT extract(epoch FROM resets_at)::text AS at FROM pools WHERE id = ${poolId}`;
  expect(from).toMatchObject({ id: poolId, included: '3749999999', remaining: '3749999999', charged: '0' });
  expect(to).toMatchObject({
    ...{ scope: 'team', ownerId: teamId, name: 'Monthly', included: '1250000001', remaining: '1250000001' },
    resetsAt: String(Number.parseInt(String(resetsAt?.at), 10)),
  });
  expect(await poolsOf(control).list({ kind: 'team', id: teamId })).toEqual([to]);
  expect(
    await control.query(`SELECT pool_id, amount FROM ledger_entries WHERE kind = 'moved' ORDER BY id`),
  ).toEqual([
    { pool_id: poolId, amount: '-1250000001' },
    { pool_id: to?.id, amount: '1250000001' },
  ]);
  expect(await disagreements()).toEqual([]);
});

it('money moves to a seat and back under a given name, to the last nano-USD', async () => {
  const owner = holderOf(control, 'acct_test');
  const { id } = await poolsOf(control).add(own, { includedUsd: '2.00' });
  const { from, to } = await owner.moveMoney(id, { kind: 'seat', id: seat }, '2', ' For Ada ');
  expect(from).toMatchObject({ included: '0', remaining: '0' });
  expect(to).toMatchObject({ scope: 'seat', ownerId: seat, name: 'For Ada' });
  expect(to).not.toHaveProperty('resetsAt');
  const back = await owner.moveMoney(
    to?.id ?? '',
    { kind: 'account', id: ' TEST@example.com' },
    '0.000000001',
  );
  expect(back.to).toMatchObject({ scope: 'account', ownerId: 'acct_test', included: '1' });
  expect(await disagreements()).toEqual([]);
});

it('money moved under one name joins the same pool', async () => {
  const { holder, poolId, teamId } = await richAccount('often', { includedUsd: '3.00' });
  const { to } = await holder.moveMoney(poolId, { kind: 'team', id: teamId }, '1', 'Budget');
  const { to: again } = await holder.moveMoney(poolId, { kind: 'team', id: teamId }, '0.5', 'Budget');
  expect(again).toMatchObject({ id: to?.id, included: '1500000000', remaining: '1500000000' });
  const { to: other } = await holder.moveMoney(poolId, { kind: 'team', id: teamId }, '0.5', 'Another');
  expect(other?.id).not.toBe(to?.id);
  expect(await poolsOf(control).list({ kind: 'team', id: teamId })).toHaveLength(2);
  expect(await disagreements()).toEqual([]);
});

it('moving money makes at most 50 pools per owner', async () => {
  const { holder, poolId, teamId } = await richAccount('many', { includedUsd: '3.00' });
  for (let pool = 0; pool < 50; pool++)
    await holder.moveMoney(poolId, { kind: 'team', id: teamId }, '0.01', `Pool ${pool}`);
  const message = await messageOf(holder.moveMoney(poolId, { kind: 'team', id: teamId }, '0.01', 'One more'));
  expect(message).toMatch(/FAILED_PRECONDITION.*50 pools/);
  await holder.moveMoney(poolId, { kind: 'team', id: teamId }, '0.01', 'Pool 7');
  expect(await poolsOf(control).list({ kind: 'team', id: teamId })).toHaveLength(50);
});

it('moved money resets monthly like its source', async () => {
  const { holder, poolId, teamId } = await richAccount('monthly', { resets: 'monthly' });
  const owner = { accountId: holder.accountId };
  await settle(control, [{ requestId: 'req_before', cost: USD, owner }]);
  const { to } = await holder.moveMoney(poolId, { kind: 'team', id: teamId }, '3.00');
  await settle(control, [
    { requestId: 'req_after', cost: USD / 2, owner },
    { requestId: 'req_team', cost: 2 * USD, owner: { ...owner, seatId: 'seat_none', teamId } },
  ]);
  const ids = [poolId, to?.id ?? ''];
  await control.query(`UPDATE pools SET resets_at = now() - interval '1 second' WHERE id = ANY($1)`, [ids]);
  // Past its month, even when a move notices it first.
  const again = await holder.moveMoney(to?.id ?? '', { kind: 'account', id: holder.accountId }, '3.00');
  expect(again.from).toMatchObject({ included: '0', remaining: '0', charged: '0' });
  // Back in the pool of this name.
  expect(again.to?.id).toBe(poolId);
  expect(await poolAmounts(control, poolId)).toEqual({
    included: String(5 * USD),
    remaining: String(5 * USD),
    held: '0',
    charged: '0',
  });
  expect(await disagreements()).toEqual([]);
});

it('money moves only up to the balance, more than nothing, and to another owner', async () => {
  const { holder, poolId, teamId } = await richAccount('careful');
  const before = await control.query('SELECT * FROM pools ORDER BY id');
  for (const usd of ['5.000000001', '999999999'])
    expect(await messageOf(holder.moveMoney(poolId, { kind: 'team', id: teamId }, usd))).toContain(
      '5.00 US dollars are left',
    );
  await expectRefusal(
    holder.moveMoney(poolId, { kind: 'team', id: teamId }, '5.01'),
    GrpcStatus.FAILED_PRECONDITION,
  );
  const wrong: [to: PayerLevel, usd: string, name?: string][] = [
    [{ kind: 'team', id: teamId }, '0'],
    [{ kind: 'team', id: teamId }, '-1'],
    [{ kind: 'team', id: teamId }, '1e3'],
    [{ kind: 'team', id: teamId }, ''],
    [{ kind: 'team', id: teamId }, '1', 'x'.repeat(201)],
    [{ kind: 'account', id: holder.accountId }, '1'],
    [{ kind: '', id: '' }, '1'],
    [{ kind: 'nobody', id: teamId }, '1'],
  ];
  for (const [to, ...rest] of wrong)
    await expectRefusal(holder.moveMoney(poolId, to, ...rest), GrpcStatus.INVALID_ARGUMENT);
  expect(await control.query('SELECT * FROM pools ORDER BY id')).toEqual(before);
});

it('money moves only to the account, its teams and their seats; others are not found', async () => {
  const { holder, poolId, teamId } = await richAccount('generous');
  const before = await control.query('SELECT * FROM pools ORDER BY id');
  const others: PayerLevel[] = [
    { kind: 'account', id: 'acct_test' },
    { kind: 'account', id: 'test@example.com' },
    { kind: 'team', id: team },
    { kind: 'seat', id: seat },
  ];
  for (const { kind, id } of others) {
    const none = id.includes('@') ? 'none@example.com' : 'none';
    await expectRefusal(holder.moveMoney(poolId, { kind, id }, '1'), GrpcStatus.NOT_FOUND);
    expect((await messageOf(holder.moveMoney(poolId, { kind, id }, '1'))).replace(id, none)).toBe(
      await messageOf(holder.moveMoney(poolId, { kind, id: none }, '1')),
    );
  }
  const removed = await administer(control).addSeat(teamId, 'member@example.com');
  await holder.removeSeat(removed.id);
  await expectRefusal(
    holder.moveMoney(poolId, { kind: 'seat', id: removed.id }, '1'),
    GrpcStatus.FAILED_PRECONDITION,
  );
  const member = holderOf(control, 'acct_member');
  const { id: memberPool } = await poolsOf(control).add({ kind: 'account', id: 'acct_member' });
  for (const to of [
    { kind: 'team', id: team },
    { kind: 'seat', id: seat },
  ])
    await expectRefusal(member.moveMoney(memberPool, to, '1'), GrpcStatus.PERMISSION_DENIED);
  expect(await control.query('SELECT * FROM pools WHERE id <> $1 ORDER BY id', [memberPool])).toEqual(before);
});

it('unused allowances are recalled before money is moved', async () => {
  const { holder, poolId, teamId } = await richAccount('lender', { includedUsd: '9.00' });
  const watch = await control.dataPlane(1);
  await watch.heartbeat();
  const allowance = new TestAllowance(control, holder.accountId, watch.instanceId);
  await allowance.acquire({ needs: [USD], spare: 100 * USD });
  const moving = holder.moveMoney(poolId, { kind: 'team', id: teamId }, '8.00');
  const recall = await allowance.waitForRecall(watch);
  await allowance.returnUnused({ returned: USD, recall }, 1);
  expect(await moving).toMatchObject({
    from: { remaining: '0', held: String(USD) },
    to: { included: String(8 * USD) },
  });
  expect(await disagreements()).toEqual([]);
  watch.cancel();
});

it('held money is not moved while requests need it, and the error names the amount', async () => {
  const { holder, poolId, teamId } = await richAccount('busy');
  await hold(control, 'allowance_busy', 2 * USD, holder.accountId);
  const message = await messageOf(holder.moveMoney(poolId, { kind: 'team', id: teamId }, '4.00'));
  expect(message).toContain('3.00 US dollars are left to move; 2.00 more are set aside');
  expect(await poolAmounts(control, poolId)).toMatchObject({
    remaining: String(3 * USD),
    held: String(2 * USD),
  });
});

it('concurrent moves neither lose nor make money while requests use it', async () => {
  const owner = holderOf(control, 'acct_test');
  const pools = poolsOf(control);
  const started = await Promise.all([
    pools.add(own, { includedUsd: '3.00', resets: 'monthly' }),
    pools.add({ kind: 'team', id: team }, { includedUsd: '2.00' }),
    pools.add({ kind: 'seat', id: seat }, { includedUsd: '1.00', resets: 'monthly' }),
  ]);
  const sum = async () => {
    const [row] = await control.query('SELECT sum(included)::text AS included FROM pools');
    return row?.included;
  };
  const before = await sum();
  const known = started.map(({ id }) => id);
  const targets = [own, { kind: 'team', id: team }, { kind: 'seat', id: seat }];
  const pick = <Item>(items: readonly Item[]) => at(items, Math.floor(Math.random() * items.length));
  let moved = 0;
  const move = async (plane: number) => {
    for (let round = 0; round < 25; round++) {
      const usd = (Math.random() * 0.6 + 0.000000001).toFixed(9);
      const mover = holderOf(control, 'acct_test', plane % 2);
      try {
        const { to } = await mover.moveMoney(pick(known), pick(targets), usd);
        known.push(to?.id ?? '');
        moved++;
      } catch (error) {
        expect([GrpcStatus.FAILED_PRECONDITION, GrpcStatus.INVALID_ARGUMENT]).toContain(grpcStatus(error));
      }
    }
  };
  const spend = async () => {
    for (let round = 0; round < 40; round++) {
      const allowanceId = `allowance_${round}`;
      await hold(control, allowanceId, Math.ceil(Math.random() * 0.2 * USD));
      const cost = Math.floor(Math.random() * 0.05 * USD);
      await settle(control, [{ requestId: `req_busy_${round}`, cost, allowanceId }]);
      await control.query('SELECT return_allowance($1, 0, 0, true)', [allowanceId]);
    }
  };
  await Promise.all([...[0, 1, 2, 3].map(move), spend()]);
  expect(moved).toBeGreaterThan(10);
  expect(await sum()).toBe(before);
  expect(await disagreements()).toEqual([]);
  await control.query(`UPDATE pools SET resets_at = now() - interval '1 second' WHERE resets_at IS NOT NULL`);
  await control.query('SELECT lock_pools(array_agg(id)) FROM pools');
  expect(await disagreements()).toEqual([]);
  expect((await owner.teams()).find((each) => each.team?.id === team)?.pools.length).toBeGreaterThan(0);
});

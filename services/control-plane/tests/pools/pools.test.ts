import { GrpcStatus } from '@model-gateway/contracts';
import { expect } from 'vitest';
import { administer, expectRefusal, insertAccount, refusalOf } from '../fixtures/administration-fixture.ts';
import { type ControlPlanes, it, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { hold, poolsOf, settle } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;

function beginningOfNextMonth(): string {
  const now = new Date();
  return String(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1_000);
}

async function seatOf(control: ControlPlanes) {
  const admin = administer(control);
  const team = await admin.createTeam();
  const seat = await admin.addSeat(team.id, await insertAccount(control, 'member'));
  return { admin, team, seat };
}

it('a pool belongs to an account, team or seat, and its ledger begins with what it includes', async () => {
  await using control = await startControlPlanes();
  const pools = poolsOf(control);
  const { team, seat } = await seatOf(control);
  const mine = await pools.add({ kind: 'account', id: 'test@example.com' });
  expect(mine).toMatchObject({
    id: expect.stringMatching(/^pool_\w{24}$/),
    name: '5.00 USD',
    scope: 'account',
    ownerId: 'acct_test',
    included: '5000000000',
    remaining: '5000000000',
    held: '0',
    charged: '0',
    createdAtMs: expect.stringMatching(/^\d{13}$/),
  });
  expect(mine).not.toHaveProperty('resetsAt');
  const ofTeam = await pools.add(
    { kind: 'team', id: team.id },
    { includedUsd: '0.000000001', name: ' Research ' },
  );
  expect(ofTeam).toMatchObject({ scope: 'team', ownerId: team.id, included: '1', name: 'Research' });
  const ofSeat = await pools.add({ kind: 'seat', id: seat.id }, { resets: 'monthly' });
  expect(ofSeat).toMatchObject({
    scope: 'seat',
    ownerId: seat.id,
    name: '5.00 USD every month',
    resetsAt: beginningOfNextMonth(),
  });
  const entries = await control.query('SELECT pool_id, kind, amount FROM ledger_entries ORDER BY id');
  expect(entries).toEqual(
    [mine, ofTeam, ofSeat].map(({ id, included }) => ({ pool_id: id, kind: 'included', amount: included })),
  );
  expect(await pools.verify()).toEqual({
    pools: '3',
    usageRecords: '0',
    ledgerEntries: '3',
    disagreements: [],
  });
});

it('a pool needs one owner that can spend it, an amount, and a known reset rule', async ({ control }) => {
  const pools = poolsOf(control);
  const { admin, team, seat } = await seatOf(control);
  await admin.removeSeat(seat.id);
  const account = { kind: 'account', id: 'acct_test' };
  const { INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION } = GrpcStatus;
  for (const [owner, more, refusal] of [
    [{ kind: '', id: '' }, {}, INVALID_ARGUMENT],
    [{ kind: 'nobody', id: team.id }, {}, INVALID_ARGUMENT],
    [{ kind: 'account', id: 'acct_none' }, {}, NOT_FOUND],
    [{ kind: 'team', id: 'team_none' }, {}, NOT_FOUND],
    [{ kind: 'seat', id: 'seat_none' }, {}, NOT_FOUND],
    [{ kind: 'seat', id: seat.id }, {}, FAILED_PRECONDITION],
    [account, { includedUsd: '0' }, INVALID_ARGUMENT],
    [account, { includedUsd: '-1' }, INVALID_ARGUMENT],
    [account, { includedUsd: '0.0000000001' }, INVALID_ARGUMENT],
    [account, { includedUsd: '9000000.01' }, INVALID_ARGUMENT],
    [account, { resets: 'weekly' }, INVALID_ARGUMENT],
    [account, { resets: '' }, INVALID_ARGUMENT],
    [account, { name: 'x'.repeat(201) }, INVALID_ARGUMENT],
  ] as const) {
    expect({ owner, more, refusal: await refusalOf(pools.add(owner, more)) }).toEqual({
      owner,
      more,
      refusal,
    });
  }
  expect(await control.query('SELECT FROM pools')).toEqual([]);
  expect(await control.query('SELECT FROM ledger_entries')).toEqual([]);
});

it('a thousand pools of nine million dollars can be summed', async ({ control }) => {
  const pools = poolsOf(control);
  await pools.add({ kind: 'account', id: 'acct_test' }, { includedUsd: '9000000' });
  await control.sql`WITH more AS (
       INSERT INTO pools (id, name, owner, included, remaining)
       SELECT 'pool_' || n, name, owner, included, included FROM pools, generate_series(1, 999) AS n RETURNING *
     ) INSERT INTO ledger_entries (pool_id, kind, amount) SELECT id, 'included', included FROM more`;
  await hold(control, 'allowance', 1);
  const [row] = await control.sql`
      SELECT available FROM acquire_allowance('allowance', 'x', '{account:acct_test}', '{}', 0)`;
  expect(row?.available).toBe('8999999999999999999');
  expect((await pools.verify()).disagreements).toEqual([]);
});

it("pools are listed in charging order, those of a seat without its team's", async ({ control }) => {
  const pools = poolsOf(control);
  const { team, seat } = await seatOf(control);
  const namesOf = async (owner: Parameters<typeof pools.list>[0]) =>
    (await pools.list(owner)).map(({ name }) => name);
  for (const owner of [
    { kind: 'account', id: 'acct_test' },
    { kind: 'team', id: team.id },
    { kind: 'seat', id: seat.id },
  ]) {
    expect(await pools.list(owner)).toEqual([]);
    await pools.add(owner, { name: 'first' });
    await pools.add(owner, { name: 'second' });
    await pools.add(owner, { name: 'monthly', resets: 'monthly' });
    expect(await namesOf(owner)).toEqual(['monthly', 'first', 'second']);
  }
  expect(await namesOf({ kind: 'account', id: 'test@example.com' })).toHaveLength(3);
  await expectRefusal(pools.list({ kind: '', id: '' }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(pools.list({ kind: 'seat', id: 'seat_none' }), GrpcStatus.NOT_FOUND);
});

it('a pool past its month is listed as full again, except for held money', async ({ control }) => {
  const pools = poolsOf(control);
  const { id } = await pools.add({ kind: 'account', id: 'acct_test' }, { resets: 'monthly' });
  await settle(control, [{ requestId: 'req_1', cost: USD }]);
  await hold(control, 'allowance', 2 * USD);
  expect(await pools.list({ kind: 'account', id: 'acct_test' })).toMatchObject([
    { id, remaining: '2000000000', held: '2000000000', charged: '1000000000' },
  ]);
  await control.query(`UPDATE pools SET resets_at = now() - interval '1 ms'`);
  const full = {
    id,
    included: '5000000000',
    remaining: '3000000000',
    held: '2000000000',
    charged: '0',
    resetsAt: beginningOfNextMonth(),
  };
  expect(await pools.list({ kind: 'account', id: 'acct_test' })).toMatchObject([full]);
  await control.query('SELECT lock_pools(array_agg(id)) FROM pools');
  expect(await pools.list({ kind: 'account', id: 'acct_test' })).toMatchObject([full]);
  expect((await pools.verify()).disagreements).toEqual([]);
});

import { randomUUID } from 'node:crypto';
import type { StatementMessage } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { TestAllowance } from '../fixtures/allowances-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { type NewTestPool, poolsOf, settle } from '../fixtures/pools-fixture.ts';
import { moveMoneyAtRandom } from '../fixtures/random-money-fixture.ts';

const NOW = new Date();
const monthOf = (ago: number) =>
  new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - ago)).toISOString().slice(0, 7);

const control = useControlPlanes();
const change = (poolId: string, amount: { includedUsd?: string; unlimited?: boolean }) =>
  control.admin('pools', 'changePool', { poolId, ...amount });
const remove = (poolId: string) => control.admin('pools', 'removePool', { poolId });

async function newAccount() {
  const id = await insertAccount(control, randomUUID());
  return {
    id,
    add: async (pool: NewTestPool) => (await poolsOf(control).add({ kind: 'account', id }, pool)).id,
    spend: (cost: number) =>
      settle(control, [{ requestId: randomUUID(), cost, owner: { accountId: id }, keyId: 'key_gone' }]),
    /** Returns the statement of a month, in a short form, after it was checked. */
    statement: async (ago = 0) => {
      const given = await control.admin('pools', 'getStatement', { account: id, month: monthOf(ago) });
      expectToAddUp(given);
      return short(given);
    },
    /** Lets all that happened so far have happened in the month before. */
    passMonth: () => control.sql`UPDATE ledger_entries SET created_at = created_at - interval '1 month'
      WHERE pool_id IN (SELECT id FROM pools WHERE owner = 'account:' || ${id})`,
  };
}

function expectToAddUp(given: StatementMessage): void {
  const spent = BigInt(given.spent) - BigInt(given.spentUnlimited);
  const credits = given.credits.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  expect(BigInt(given.opening) + credits - BigInt(given.lapsed) - spent).toBe(BigInt(given.closing));
}

function short(given: StatementMessage) {
  const { opening, openingUnlimited, lapsed, spent, spentUnlimited, closing, closingUnlimited } = given;
  return {
    opening: openingUnlimited ? `${opening} and unlimited` : opening,
    credits: Object.fromEntries(given.credits.map(({ kind, amount }) => [kind, Number(amount)])),
    lapsed,
    spent,
    spentUnlimited,
    closing: closingUnlimited ? `${closing} and unlimited` : closing,
  };
}

it('an account with an unlimited pool has an unlimited balance, and exact spend', async () => {
  const account = await newAccount();
  const pool = await account.add({ unlimited: true, resets: 'monthly' });
  await account.spend(700);
  const expected = { opening: '0', credits: {}, lapsed: '0', spent: '700', spentUnlimited: '700' };
  expect(await account.statement()).toEqual({ ...expected, closing: '0 and unlimited' });
  await account.passMonth();
  await control.sql`UPDATE pools SET resets_at = now() WHERE id = ${pool}`;
  await control.sql`SELECT lock_pools(ARRAY[${pool}])`;
  await account.spend(5);
  expect(await account.statement(1)).toEqual({ ...expected, closing: '0 and unlimited' });
  expect(await account.statement()).toMatchObject({
    opening: '0 and unlimited',
    credits: {},
    spent: '5',
    spentUnlimited: '5',
  });
  await remove(pool);
  expect(await account.statement()).toMatchObject({ credits: {}, spent: '5', closing: '0' });
});

it('a pool that becomes unlimited leaves the balance with what it had, and comes back with what it gets', async () => {
  const account = await newAccount();
  const pool = await account.add({ includedUsd: '0.000001000' });
  await account.spend(300);
  await change(pool, { unlimited: true });
  await account.spend(50);
  expect(await account.statement()).toEqual({
    opening: '0',
    credits: { included: 1_000, changed: -700 },
    lapsed: '0',
    spent: '350',
    spentUnlimited: '50',
    closing: '0 and unlimited',
  });
  await account.passMonth();
  await change(pool, { includedUsd: '0.000002000' });
  await account.spend(100);
  expect(await account.statement()).toEqual({
    opening: '0 and unlimited',
    credits: { changed: 1_650 },
    lapsed: '0',
    spent: '100',
    spentUnlimited: '0',
    closing: '1550',
  });
  expect(await account.statement(1)).toMatchObject({ closing: '0 and unlimited', spentUnlimited: '50' });
});

it('the balance beside an unlimited pool counts the limited pools', async () => {
  const account = await newAccount();
  await account.add({ unlimited: true });
  await account.add({ includedUsd: '0.000000100' });
  await account.spend(130);
  expect(await account.statement()).toMatchObject({
    spent: '130',
    spentUnlimited: '30',
    credits: { included: 100 },
  });
  await account.add({ includedUsd: '0.000000040' });
  expect(await account.statement()).toMatchObject({ closing: '40 and unlimited' });
});

it('what is left in an expired pool lapses, and an expired unlimited pool leaves nothing', async () => {
  const account = await newAccount();
  const soon = { expiresAtMs: Date.now() + 60_000 };
  const pools = [
    await account.add({ includedUsd: '0.000000100', ...soon }),
    await account.add({ unlimited: true, ...soon }),
  ];
  await account.spend(60);
  const allowance = new TestAllowance(control, account.id);
  expect(await allowance.acquire({ needs: [70] })).toMatchObject({ covered: 1 });
  await control.sql`UPDATE pools SET expires_at = now() - interval '1 second' WHERE id = ANY(${pools})`;
  await control.sql`SELECT lock_pools(${pools})`;
  await allowance.returnUnused({ close: true });
  expect(await account.statement()).toMatchObject({
    credits: { included: 100 },
    lapsed: '40',
    spent: '60',
    spentUnlimited: '0',
    closing: '0',
  });
});

it('after money was moved at random, every statement adds up to what the limited pools have', async () => {
  const { done, failures } = await moveMoneyAtRandom(control, {
    seed: NOW.getTime(),
    connections: 3,
    forMs: 2_000,
  });
  expect(failures).toEqual({});
  expect(Object.keys(done).length).toBeGreaterThan(5);
  for (const [account, owners] of [
    ['acct_one', ['account:acct_one']],
    ['acct_two', ['account:acct_two', 'team:team_one', 'seat:seat_one']],
  ] as const) {
    const [pools] = await control.sql`
      SELECT coalesce(sum(remaining + held) FILTER (WHERE NOT unlimited AND (removed_at IS NULL OR NOT EXISTS (
          SELECT FROM ledger_entries e WHERE pool_id = pools.id AND kind = 'included' AND amount = 0
        ))), 0)::text AS left, bool_or(unlimited) AS unlimited,
        (SELECT -sum(amount) FROM ledger_entries WHERE kind IN ('charge', 'correction') AND pool_id IN (
          SELECT id FROM pools WHERE owner = ANY(${[...owners]}::text[])
        ))::text AS spent
      FROM pools WHERE owner = ANY(${[...owners]}::text[])`;
    const given = await control.admin('pools', 'getStatement', { account, month: monthOf(0) });
    expectToAddUp(given);
    expect(given).toMatchObject({
      closing: pools?.left,
      closingUnlimited: pools?.unlimited,
      spent: pools?.spent,
    });
  }
});

import { expect } from 'vitest';
import { AccountStore } from '../../src/accounts/account-store.ts';
import { createAccount } from '../../src/accounts/create-account.ts';
import { parseControlPlaneConfig } from '../../src/index.ts';
import { it } from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const configOf = (SIGNUP_POOL_USD?: string) =>
  parseControlPlaneConfig({ DATABASE_URL: 'postgresql://localhost/x', SIGNUP_POOL_USD });

it('SIGNUP_POOL_USD gives a new account a pool that never resets, or nothing', async ({ control }) => {
  const accountStore = new AccountStore(control.prisma);
  const create = (signupPool: bigint, email: string) =>
    createAccount(
      { accountStore, signupPool },
      { type: 'system', via: 'system' },
      { email, name: '', emailVerified: false, poolNeedsProof: false },
    );
  const { id } = await create(configOf('2.50').signupPool, 'new@example.com');
  const [pool, ...others] = await poolsOf(control).list({ kind: 'account', id });
  expect(pool).toMatchObject({
    name: 'Included with sign-up',
    included: '2500000000',
    remaining: '2500000000',
  });
  expect(pool).not.toHaveProperty('resetsAt');
  expect(others).toEqual([]);
  await create(configOf().signupPool, 'without@example.com');
  await expect(create(1n, 'new@example.com')).rejects.toThrow('there is an account');
  expect(await poolsOf(control).verify()).toMatchObject({
    pools: '1',
    ledgerEntries: '1',
    disagreements: [],
  });
});

it('SIGNUP_POOL_USD is an amount that a pool can include', () => {
  expect(configOf('0').signupPool).toBe(0n);
  for (const usd of ['-1', '5,00', 'much', '9000001']) expect(() => configOf(usd)).toThrow(/SIGNUP_POOL_USD/);
});

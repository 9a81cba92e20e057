import { expect } from 'vitest';
import { AccountStore } from '../../src/accounts/account-store.ts';
import { createAccount } from '../../src/accounts/create-account.ts';
import type { SignupPool } from '../../src/accounts/signup-pool.ts';
import { parseControlPlaneConfig } from '../../src/index.ts';
import { SYSTEM } from '../fixtures/actors-fixture.ts';
import { it } from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const configOf = (SIGNUP_POOL_USD?: string, SIGNUP_POOL_RESETS?: string) =>
  parseControlPlaneConfig({ DATABASE_URL: 'postgresql://localhost/x', SIGNUP_POOL_USD, SIGNUP_POOL_RESETS });

it('SIGNUP_POOL_USD gives a new account a pool that never resets, or nothing', async ({ control }) => {
  const accountStore = new AccountStore(control.prisma);
  const create = (signupPool: SignupPool, email: string) =>
    createAccount({ accountStore, signupPool }, SYSTEM, {
      email,
      name: '',
      emailVerified: false,
      poolNeedsProof: false,
    });
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
  await expect(create(configOf('1').signupPool, 'new@example.com')).rejects.toThrow('there is an account');
  expect(await poolsOf(control).verify()).toMatchObject({
    pools: '1',
    ledgerEntries: '1',
    disagreements: [],
  });
});

it('SIGNUP_POOL_RESETS=monthly refills the pool of a new account every month', async ({ control }) => {
  const account = await createAccount(
    { accountStore: new AccountStore(control.prisma), signupPool: configOf('20', 'monthly').signupPool },
    SYSTEM,
    { email: 'monthly@example.com', name: '', emailVerified: true, poolNeedsProof: true },
  );
  const now = new Date();
  expect(await poolsOf(control).list({ kind: 'account', id: account.id })).toMatchObject([
    {
      included: '20000000000',
      resetsAt: String(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1_000),
    },
  ]);
  expect(configOf('20').signupPool.resets).toBe('never');
  expect(() => configOf('20', 'weekly')).toThrow('SIGNUP_POOL_RESETS: expected monthly or never');
});

it('an account that is created without the pool of sign-ups gets none', async ({ control }) => {
  const { id } = await createAccount(
    { accountStore: new AccountStore(control.prisma), signupPool: configOf('0.05').signupPool },
    SYSTEM,
    {
      email: 'own@example.com',
      name: '',
      emailVerified: true,
      poolNeedsProof: false,
      withoutSignupPool: true,
    },
  );
  expect(await poolsOf(control).list({ kind: 'account', id })).toEqual([]);
});

it('SIGNUP_POOL_USD is an amount that a pool can include', () => {
  expect(configOf('0').signupPool.included).toBe(0n);
  for (const usd of ['-1', '5,00', 'much', '9000001']) expect(() => configOf(usd)).toThrow(/SIGNUP_POOL_USD/);
});

import type { ControlPlaneClient } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { EndUserRulesResolver } from './end-user-rules.ts';

const END_USERS = { template: undefined, version: 1 };
const RULES = {
  models: [{ entries: ['acme/*'] }],
  providers: [],
  endpoints: [],
  networks: [],
  budgets: [],
  requireTags: [],
  requireEndUser: false,
};

/** Answers as a control plane that has rules of `ada` only. */
function resolver() {
  const asked: string[] = [];
  const call = (...[, , , ask]: Parameters<ControlPlaneClient['call']>) => {
    const { endUser = '' } = ask as { endUser?: string };
    asked.push(endUser);
    return Promise.resolve({ version: 1, rules: endUser === 'ada' ? RULES : null });
  };
  const patience = () => ({ quietMs: 1_000, mostMs: 1_000, isHeard: () => true });
  const rules = new EndUserRulesResolver({ client: { call: call as ControlPlaneClient['call'] }, patience });
  const resolve = async (accountId: string, endUser: string) =>
    await rules.resolve({ accountId, endUsers: END_USERS }, endUser);
  return { asked, resolve };
}

it('invented end users evict none with rules, and are refused beyond a rate per account', async () => {
  const { asked, resolve } = resolver();
  expect((await resolve('acct_1', 'ada'))?.models).toEqual([['acme/*']]);
  const flood = Array.from({ length: 3_000 }, (_, count) => `invented ${count}`);
  let refused = 0;
  for (const endUser of flood)
    await resolve('acct_1', endUser).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
      refused += 1;
    });
  expect(refused).toBeGreaterThan(100);
  const before = asked.length;
  expect((await resolve('acct_1', 'ada'))?.models).toEqual([['acme/*']]);
  expect(await resolve('acct_1', 'invented 0')).toBeUndefined();
  expect(asked).toHaveLength(before);
  expect(await resolve('acct_2', 'bob')).toBeUndefined();
});

it('concurrent requests of one end user share a lookup', async () => {
  const { asked, resolve } = resolver();
  await Promise.all([resolve('acct_1', 'ada'), resolve('acct_1', 'ada'), resolve('acct_1', 'ada')]);
  expect(asked).toEqual(['ada']);
});

import type { EffectiveRules } from '@model-gateway/shared/rules';
import { expect, it } from 'vitest';
import { keyContextFromMessage } from '../keys/key-context.ts';
import { limitsOf } from './policies.ts';

const limits = { freePerMinute: 1, paidPerMinute: 2, readsPerMinute: 3, concurrentStreams: 4 };
const keyOf = (paidPerMinute: number) =>
  keyContextFromMessage({
    keyId: 'key_1',
    accountId: 'acct_1',
    payer: [],
    limits: { ...limits, paidPerMinute },
  });
const endUserRules: EffectiveRules = {
  models: [],
  providers: [],
  endpoints: [],
  networks: [],
  budgets: [],
  requestsPerMinute: 7,
  tokensPerMinute: 70,
  requireTags: [],
  requireEndUser: false,
};

it('the limits of a key are built once for each kind of request, until the key changes', () => {
  const record = { key: keyOf(2) };
  const paid = limitsOf(record, 'paid', false);
  expect(paid).toMatchObject({ hashTag: 'key_1', policies: [{ bucket: 'paid:key_1', limit: 2 }] });
  expect(limitsOf(record, 'paid', false)).toBe(paid);
  expect(paid.stream).toBeUndefined();
  expect(limitsOf(record, 'paid', true).stream).toEqual({ bucket: 'streams:key_1', limit: 4 });
  expect(limitsOf(record, 'reads', false).policies).toMatchObject([{ bucket: 'reads:key_1', limit: 3 }]);
  expect(limitsOf({ key: keyOf(9) }, 'paid', false).policies).toMatchObject([{ limit: 9 }]);
});

it('keys with many rules are not kept for their limits', () => {
  const entries = Array.from({ length: 200 }, (_, index) => `${'model'.repeat(20)}-${index}`);
  const rules = { ...endUserRules, models: [entries], networks: [entries] };
  const keys = Array.from({ length: 2_000 }, () => ({ ...keyOf(2), rules }));
  const [first, ...others] = keys.map((key) => ({ key, limits: limitsOf({ key }, 'paid', false) }));
  const isKept = (each: typeof first) =>
    each !== undefined && limitsOf({ key: each.key }, 'paid', false) === each.limits;
  expect(isKept(others.at(-1))).toBe(true);
  expect(isKept(first)).toBe(false);
});

it('the limits of an end user are added to those of the key, for this end user alone', () => {
  const key = keyOf(2);
  for (const endUser of ['a', 'b']) {
    const { policies, tokenPolicies } = limitsOf({ key, endUser, endUserRules }, 'paid', false);
    const own = { bucket: `end-user:acct_1/${endUser}`, ownTag: 'acct_1' };
    expect(policies).toMatchObject([{ name: 'key' }, { name: 'end-user-requests', limit: 7, ...own }]);
    expect(tokenPolicies).toMatchObject([{ name: 'end-user-tokens', limit: 70, ...own }]);
  }
  expect(limitsOf({ key, endUser: 'a', endUserRules }, 'reads', false).policies).toHaveLength(1);
  expect(limitsOf({ key }, 'paid', false)).toMatchObject({
    policies: [{ name: 'key' }],
    tokenPolicies: undefined,
  });
});

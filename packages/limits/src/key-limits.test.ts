import { expect, test } from 'vitest';
import { hashTagOf, type LimitedKey, namedPolicies, policiesOf, tokenPolicyOf } from './key-limits.ts';
import { limitUse } from './limit-use.ts';
import { MemoryLimiter } from './memory/memory-limiter.ts';

const limits = {
  freePerMinute: 60,
  paidPerMinute: 100,
  readsPerMinute: 300,
  concurrentStreams: 10,
  teamPerMinute: undefined,
};
const key: LimitedKey = { keyId: 'key_a', teamId: undefined, limits, rules: undefined };
const seatKey: LimitedKey = {
  keyId: 'key_b',
  teamId: 'team_a',
  limits: { ...limits, teamPerMinute: 600 },
  rules: undefined,
};
const ruledKey: LimitedKey = { ...key, rules: { requestsPerMinute: 20, tokensPerMinute: 5_000 } };

test('reads count against the key alone, models against the team, too', () => {
  expect(policiesOf(seatKey, 'reads').map(({ name }) => name)).toEqual(['key']);
  expect(policiesOf(seatKey, 'paid').map(({ name }) => name)).toEqual(['key', 'team']);
});

test('every limit of a key is named once', () => {
  expect([...namedPolicies(key).keys()]).toEqual(['key.free', 'key.paid', 'key.reads']);
  expect([...namedPolicies(seatKey)].map(([name, { limit }]) => [name, limit])).toEqual([
    ['key.free', 60],
    ['key.paid', 100],
    ['team', 600],
    ['key.reads', 300],
  ]);
});

test('rules of a key count all of its requests to models, and their tokens', async () => {
  expect(policiesOf(ruledKey, 'reads').map(({ name }) => name)).toEqual(['key']);
  expect(policiesOf(ruledKey, 'free_and_paid').map(({ name }) => name)).toEqual([
    'key.free',
    'key.paid',
    'key-requests',
  ]);
  const limiter = new MemoryLimiter();
  for (const limitClass of ['free', 'paid'] as const) {
    const tokens = tokenPolicyOf(ruledKey);
    await limiter.admit({
      requestId: limitClass,
      hashTag: hashTagOf(ruledKey),
      policies: policiesOf(ruledKey, limitClass),
      tokenPolicies: tokens && [tokens],
      estimate: { fixed: 300, flexible: 0 },
    });
  }
  const { used } = await limitUse(limiter, ruledKey);
  expect([...used].filter(([name]) => name.startsWith('key-'))).toEqual([
    ['key-requests', 2],
    ['key-tokens', 600],
  ]);
});

test('the use of a key counts its own requests, and the use of its team those of all its keys', async () => {
  const limiter = new MemoryLimiter();
  let requests = 0;
  const admit = (who: LimitedKey, limitClass: 'free' | 'paid' | 'reads', stream?: string) =>
    limiter.admit({
      requestId: `request ${requests++}`,
      hashTag: hashTagOf(who),
      policies: policiesOf(who, limitClass),
      stream: stream === undefined ? undefined : { bucket: stream, limit: 10 },
    });
  const colleague = { ...seatKey, keyId: 'key_c' };
  await admit(seatKey, 'free');
  await admit(seatKey, 'paid', 'streams:key_b');
  await admit(seatKey, 'reads');
  await admit(colleague, 'free');
  expect(await limitUse(limiter, seatKey)).toEqual({
    used: new Map([
      ['key.free', 1],
      ['key.paid', 1],
      ['team', 3],
      ['key.reads', 1],
      ['key.streams', 1],
    ]),
    countedBy: 'memory',
  });
  expect((await limitUse(limiter, key)).used.get('key.free')).toBe(0);
});

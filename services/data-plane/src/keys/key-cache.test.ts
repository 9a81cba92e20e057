import { describe, expect, it } from 'vitest';
import { KeyCache } from './key-cache.ts';
import { keyContextFromMessage } from './key-context.ts';

const limits = { freePerMinute: 1, paidPerMinute: 2, readsPerMinute: 3, concurrentStreams: 4 };
const key = (expiresAtMs?: string) =>
  keyContextFromMessage({
    ...{ keyId: 'key_1', accountId: 'acct_1', payer: [], limits },
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  });

describe('a cached key that expires', () => {
  it('is known until it expires, and then unknown as if it were revoked', () => {
    let nowMs = 0;
    const cache = new KeyCache(() => nowMs);
    cache.set('hash', key('1000'));
    cache.set('lasting', key());
    nowMs = 999;
    expect(cache.get('hash')).toMatchObject({ keyId: 'key_1', expiresAtMs: 1000 });
    expect(cache.isUnknown('hash')).toBe(false);
    nowMs = 1_000;
    expect(cache.get('hash')).toBeUndefined();
    expect(cache.isUnknown('hash')).toBe(true);
    expect(cache.get('lasting')).toMatchObject({ keyId: 'key_1' });
  });

  it('is not returned if it had already expired when it was cached', () => {
    const cache = new KeyCache(() => 1_000);
    cache.set('hash', key('1000'));
    expect(cache.get('hash')).toBeUndefined();
  });
});

describe('a key that was suspended', () => {
  it('is looked up again after a change that names either of its hashes', () => {
    for (const told of ['new', 'old']) {
      const cache = new KeyCache();
      cache.set('new', key(), 'old');
      cache.markRevoked('new');
      expect(cache.isUnknown('new')).toBe(true);
      cache.drop(told);
      expect(cache.isUnknown('new')).toBe(false);
    }
  });
});

describe('a cached key whose pepper is being replaced', () => {
  it('is dropped and refused by a change that names either of its hashes', () => {
    const cache = new KeyCache();
    for (const told of ['new', 'old']) {
      cache.set('new', key(), 'old');
      cache.drop(told);
      expect(cache.get('new')).toBeUndefined();
      expect(cache.isUnknown('new')).toBe(false);
    }
    for (const told of ['new', 'old']) {
      const revoked = new KeyCache();
      revoked.set('new', key(), 'old');
      revoked.markRevoked(told);
      expect(revoked.get('new')).toBeUndefined();
      expect(revoked.isUnknown('new')).toBe(true);
    }
  });
});

describe('cached keys with rules', () => {
  const lists = (entry: string) => [
    { entries: Array.from({ length: 200 }, (_, index) => `${entry}${index}`) },
  ];
  const withRules = (index: number) =>
    keyContextFromMessage({
      ...{ keyId: `key_${index}`, accountId: 'acct_1', payer: [], limits },
      rules: {
        ...{ models: lists('a'), providers: lists('a'), endpoints: [], networks: [], budgets: [] },
        ...{
          requireTags: [],
          requireEndUser: false,
        },
      },
    });

  it('share equal lists', () => {
    const [one, other] = [withRules(1), withRules(2)];
    expect(one.rules?.models[0]).toBe(other.rules?.models[0]);
    expect(one.rules?.models[0]).toBe(one.rules?.providers[0]);
  });

  it('are bounded by the size of their rules', () => {
    const cache = new KeyCache();
    const key = withRules(0);
    for (let index = 0; index < 20_000; index++) cache.set(`hash ${index}`, key);
    expect(cache.get('hash 0')).toBeUndefined();
    expect(cache.get('hash 19999')).toBeDefined();
    expect(cache.get('hash 10500')).toBeDefined();
  });
});

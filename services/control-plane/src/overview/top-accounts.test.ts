import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AccountRow } from './overview-store.ts';
import { TopAccounts } from './top-accounts.ts';

const SECOND = 1_000;
const row = (id: string): AccountRow => ({
  id,
  name: id,
  email: `${id}@example.com`,
  requests: 1,
  providerCost: 0n,
  charged: 1n,
});

let reads: PromiseWithResolvers<AccountRow[]>[];
let top: TopAccounts;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  reads = [];
  top = new TopAccounts({
    accounts: () => {
      const read = Promise.withResolvers<AccountRow[]>();
      reads.push(read);
      return read.promise;
    },
  });
});
afterEach(() => void vi.useRealTimers());

it('callers at once share one read, and later ones get its result', async () => {
  const both = [top.read('30d'), top.read('30d')];
  reads[0]?.resolve([row('one')]);
  expect(await Promise.all(both)).toEqual([[row('one')], [row('one')]]);
  vi.advanceTimersByTime(29 * SECOND);
  expect(await top.read('30d')).toEqual([row('one')]);
  expect(reads).toHaveLength(1);
});

it('nobody waits while a ranking of the last minutes is read again, and an older one is not shown', async () => {
  const first = top.read('30d');
  reads[0]?.resolve([row('one')]);
  await first;
  vi.advanceTimersByTime(31 * SECOND);
  expect(await top.read('30d')).toEqual([row('one')]);
  expect(await top.read('30d')).toEqual([row('one')]);
  expect(reads).toHaveLength(2);
  vi.advanceTimersByTime(300 * SECOND);
  const waiting = top.read('30d');
  reads[1]?.resolve([row('two')]);
  expect(await waiting).toEqual([row('two')]);
});

it('a failed read is repeated by the next caller', async () => {
  const failed = top.read('1h');
  reads[0]?.reject(new Error('database is gone'));
  await expect(failed).rejects.toThrow('database is gone');
  const next = top.read('1h');
  reads[1]?.resolve([]);
  expect(await next).toEqual([]);
});

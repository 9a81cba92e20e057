import { expect, test } from 'vitest';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { filterKeys, withRevokedKey } from './key-list.ts';

const key = (id: string, revokedAtMs: number | null): KeyEntry => ({
  id,
  name: id,
  displayPrefix: 'sk-gw-0123456789',
  kind: 'issued',
  createdAtMs: 1,
  lastUsedAtMs: null,
  requestsThisMonth: 0,
  revokedAtMs,
  seat: null,
});
const ids = (keys: readonly KeyEntry[]) => keys.map(({ id }) => id);

test('each filter shows its keys alone, in their order', () => {
  const keys = [key('a', null), key('b', 5), key('c', null)];
  expect(ids(filterKeys(keys, 'all'))).toEqual(['a', 'b', 'c']);
  expect(ids(filterKeys(keys, 'active'))).toEqual(['a', 'c']);
  expect(ids(filterKeys(keys, 'revoked'))).toEqual(['b']);
});

test('revoking a key changes that key alone, and leaves the answer before it as it was', () => {
  const before = { keys: [key('a', null), key('b', null)], seats: [] };
  const after = withRevokedKey(before, 'b', 9);
  expect(after.keys.map(({ revokedAtMs }) => revokedAtMs)).toEqual([null, 9]);
  expect(before.keys.map(({ revokedAtMs }) => revokedAtMs)).toEqual([null, null]);
});

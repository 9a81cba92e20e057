import { describe, expect, test } from 'vitest';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { buildKey } from '../../wire-fixture.ts';
import { type KeyView, keyViewOf, shownKeys, withoutSecrets, withRevokedKey } from './key-list.ts';

const key = (id: string, changes: Partial<KeyEntry> = {}) => buildKey({ id, name: id, ...changes });
const EVERYTHING: KeyView = { text: '', state: 'all', order: 'created' };
const ids = (keys: readonly KeyEntry[], view: Partial<KeyView>) =>
  shownKeys(keys, { ...EVERYTHING, ...view }).map(({ id }) => id);

describe('the list of keys', () => {
  test('shows the keys of one state in their order', () => {
    const keys = [key('a'), key('b', { revokedAtMs: 5 }), key('c')];
    expect(ids(keys, {})).toEqual(['a', 'b', 'c']);
    expect(ids(keys, { state: 'active' })).toEqual(['a', 'c']);
    expect(ids(keys, { state: 'revoked' })).toEqual(['b']);
  });

  test('finds a key by words of its name, its visible start, its team and its id', () => {
    const keys = [
      key('key_1', { name: 'Support bot, production' }),
      key('key_2', { displayPrefix: 'gw_live_Zq8mkwnZ' }),
      key('key_3', { seat: { id: 's', teamId: 't', teamName: 'Search quality' } }),
    ];
    expect(ids(keys, { text: 'production BOT' })).toEqual(['key_1']);
    expect(ids(keys, { text: 'gw_live_Zq8' })).toEqual(['key_2']);
    expect(ids(keys, { text: 'search' })).toEqual(['key_3']);
    expect(ids(keys, { text: 'key_1' })).toEqual(['key_1']);
    // The middle of a key does not count.
    expect(ids(keys, { text: '8m' })).toEqual([]);
    expect(ids(keys, { text: 'search bot' })).toEqual([]);
  });

  test('sorts keys by age, last use, requests or name', () => {
    const keys = [
      key('worker 10', { lastUsedAtMs: 5, requestsThisMonth: 1 }),
      key('worker 9', { requestsThisMonth: 7 }),
      key('api', { lastUsedAtMs: 9 }),
    ];
    expect(ids(keys, { order: 'created' })).toEqual(['worker 10', 'worker 9', 'api']);
    expect(ids(keys, { order: 'used' })).toEqual(['api', 'worker 10', 'worker 9']);
    expect(ids(keys, { order: 'busiest' })).toEqual(['worker 9', 'worker 10', 'api']);
    expect(ids(keys, { order: 'name' })).toEqual(['api', 'worker 9', 'worker 10']);
  });
});

test('a raw key that is pasted into the search does not get into the URL', () => {
  const rawKey = 'gw_live_4q0pvyMQ9VOVPAiIdUDq3zuA52da1cdUT0rEJOYP6oZ1jwXKq';
  expect(withoutSecrets(` ${rawKey} bot`)).toBe(' gw_live_4q0pvyMQ bot');
  expect(
    ids([key('a'), key('b', { displayPrefix: rawKey.slice(0, 16) })], { text: withoutSecrets(rawKey) }),
  ).toEqual(['b']);
});

test('unknown values in the URL mean all keys, the newest first', () => {
  expect(keyViewOf(new URLSearchParams('show=none&sort=toString'))).toEqual(EVERYTHING);
  expect(keyViewOf(new URLSearchParams('q=bot&show=active&sort=name'))).toEqual({
    text: 'bot',
    state: 'active',
    order: 'name',
  });
});

test('revoking a key in the cached list changes a copy, and only that key', () => {
  const before = { keys: [key('a'), key('b')], seats: [] };
  const after = withRevokedKey(before, 'b', 9);
  expect(after.keys.map(({ revokedAtMs }) => revokedAtMs)).toEqual([null, 9]);
  expect(before.keys.map(({ revokedAtMs }) => revokedAtMs)).toEqual([null, null]);
});

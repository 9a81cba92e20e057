import { expect, test } from 'vitest';
import { toNewKeyEntry } from './key-entry.ts';

const key = {
  ...{ id: 'key_1', accountId: 'acct_1', name: 'app', displayPrefix: 'gw_live_12345678', kind: 'issued' },
  ...{ createdAtMs: '0', status: 'active', tags: {} },
};

test.each([
  [{}, undefined],
  [{ expiresAtMs: '9' }, 9],
  [{ rulesExpireAtMs: '7' }, 7],
  [{ expiresAtMs: '9', rulesExpireAtMs: '7' }, 7],
  [{ expiresAtMs: '5', rulesExpireAtMs: '7' }, 5],
])('a key with %j ends at the earlier of its own expiry and that of its rules', (expiry, endsAtMs) => {
  expect(toNewKeyEntry({ ...key, ...expiry }, null).expiresAtMs).toBe(endsAtMs);
});

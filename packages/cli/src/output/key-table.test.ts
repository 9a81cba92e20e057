import { expect, test } from 'vitest';
import { keyJson, keyTable } from './key-table.ts';

const key = {
  ...{ id: 'key_1', accountId: 'acct_1', name: 'app', displayPrefix: 'gw_live_12345678', kind: 'issued' },
  ...{ createdAtMs: '0', tags: {} },
};
const JANUARY = Date.UTC(2027, 0);
const MARCH = Date.UTC(2027, 2);

test.each([
  [{ expiresAtMs: String(MARCH), rulesExpireAtMs: String(JANUARY) }, '2027-01'],
  [{ expiresAtMs: String(JANUARY), rulesExpireAtMs: String(MARCH) }, '2027-01'],
  [{ rulesExpireAtMs: String(MARCH) }, '2027-03'],
])('a key is active until its own expiry or that of its rules', (expiry, month) => {
  expect(keyTable([keyJson({ ...key, ...expiry, status: 'active' })])).toContain(
    `active until ${month}-01T00:00:00.000Z`,
  );
});

test('a key that its rules have ended is expired, and its own expiry stays', () => {
  const json = keyJson({ ...key, status: 'expired', rulesExpireAtMs: String(JANUARY) });
  expect(json).toMatchObject({
    status: 'expired',
    expires_at: null,
    rules_expire_at: '2027-01-01T00:00:00.000Z',
  });
  const table = keyTable([json]);
  expect(table).toContain(' expired ');
  expect(table).not.toContain('active');
});

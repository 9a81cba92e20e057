import type { PoolMessage } from '@model-gateway/contracts';
import { expect, test } from 'vitest';
import { poolJson, poolTable } from './pool-table.ts';

const pool: PoolMessage = {
  id: 'pool_1',
  name: 'Credit',
  scope: 'account',
  ownerId: 'acct_1',
  included: '5000000000',
  remaining: '4677222000',
  held: '322678000',
  charged: '100000',
  createdAtMs: '0',
  unlimited: false,
};

test('reserved money counts as left, not as used, and the table explains it', () => {
  const json = poolJson(pool);
  expect(json).toMatchObject({ used_usd: '0.000100000', left_usd: '4.999900000', held_usd: '0.322678000' });
  const [head, row, ...below] = poolTable([json], () => 'ada@example.com')
    .trimEnd()
    .split('\n');
  expect(head).toMatch(/^POOL +NAME +OF +INCLUDED +USED +LEFT +RESERVED +RESETS$/);
  expect(row).toMatch(/^pool_1 +Credit +ada@example\.com +5\.00 +0\.0001 +4\.9999 +0\.322678 +never$/);
  expect(below.join(' ')).toMatch(
    /RESERVED is the part of LEFT that running requests may still use; it is not spent/,
  );
});

test('an unlimited pool has no amounts but the used and the reserved one', () => {
  const json = poolJson({ ...pool, unlimited: true, expiresAt: '1798761600' });
  expect(json).toMatchObject({
    unlimited: true,
    included_usd: null,
    used_usd: '0.000100000',
    left_usd: null,
    held_usd: '0.322678000',
    remaining_usd: null,
    expires_at: '2027-01-01T00:00:00.000Z',
  });
  const [head, row] = poolTable([json], (id) => id).split('\n');
  expect(head).toMatch(/RESETS +EXPIRES$/);
  expect(row).toMatch(/ unlimited +0\.0001 +unlimited +0\.322678 +never +2027-01-01T00:00:00\.000Z$/);
});

test('a table of pools without reserved money has no explanation', () => {
  const table = poolTable([poolJson({ ...pool, remaining: '4999900000', held: '0' })], (id) => id);
  expect(table.trimEnd().split('\n')).toHaveLength(2);
});

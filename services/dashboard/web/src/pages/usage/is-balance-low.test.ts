import { expect, test } from 'vitest';
import type { Pool } from '../../../../wire/usage.ts';
import { isBalanceLow } from './is-balance-low.ts';

const pool = (
  includedUsd: string,
  leftUsd: string,
  heldUsd = '0',
  resetsAtMs: number | null = null,
): Pool => ({
  id: 'pool_1',
  name: 'Budget',
  scope: 'account',
  ownerId: 'acct_1',
  includedUsd,
  usedUsd: String(Number(includedUsd) - Number(leftUsd)),
  leftUsd,
  heldUsd,
  remainingUsd: String(Number(leftUsd) - Number(heldUsd)),
  resetsAtMs,
});

test('the balance is low when nothing is left, or less than a tenth of the pools in use', () => {
  expect(isBalanceLow([])).toBe(true);
  expect(isBalanceLow([pool('5', '0')])).toBe(true);
  expect(isBalanceLow([pool('5', '0.49')])).toBe(true);
  expect(isBalanceLow([pool('5', '0.5')])).toBe(false);
});

test('neither reserved money nor pools that were used up long ago make it low', () => {
  expect(isBalanceLow([pool('5', '4.9999', '4.9')])).toBe(false);
  expect(isBalanceLow([pool('100', '0'), pool('100', '0'), pool('5', '3')])).toBe(false);
});

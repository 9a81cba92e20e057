import { expect, test } from 'vitest';
import { buildPool } from '../../wire-fixture.ts';
import { isBalanceLow } from './is-balance-low.ts';

const pool = (includedUsd: string | null, leftUsd: string | null, heldUsd = '0') =>
  buildPool({ includedUsd, leftUsd, heldUsd });

test('the balance is low if less than a tenth of the pools in use is left', () => {
  expect(isBalanceLow([])).toBe(true);
  expect(isBalanceLow([pool('5', '0')])).toBe(true);
  expect(isBalanceLow([pool('5', '0.49')])).toBe(true);
  expect(isBalanceLow([pool('5', '0.5')])).toBe(false);
});

test('with an unlimited pool the balance is never low', () => {
  expect(isBalanceLow([pool('5', '0'), pool(null, null)])).toBe(false);
});

test('neither reserved money nor empty pools make the balance low', () => {
  expect(isBalanceLow([pool('5', '4.9999', '4.9')])).toBe(false);
  expect(isBalanceLow([pool('100', '0'), pool('100', '0'), pool('5', '3')])).toBe(false);
});

import { expect, it } from 'vitest';
import { parseIncludedUsd } from './included-usd.ts';

it('a pool includes a decimal number of dollars, counted in nano-USD', () => {
  expect(parseIncludedUsd('5.00')).toBe(5_000_000_000n);
  expect(parseIncludedUsd('0.000000001')).toBe(1n);
  expect(parseIncludedUsd('9000000')).toBe(9_000_000_000_000_000n);
});

it('a pool includes at most nine million dollars, and is never rounded', () => {
  for (const usd of ['9000000.000000001', '0.0000000001', '-1', '1e3', '5,00', '']) {
    expect(parseIncludedUsd(usd)).toBeUndefined();
  }
});

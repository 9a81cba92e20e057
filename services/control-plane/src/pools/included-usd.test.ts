import { describe, expect, it } from 'vitest';
import { parseIncludedUsd } from './included-usd.ts';

describe('what a pool includes', () => {
  it('is a decimal number of dollars, counted in billionths', () => {
    expect(parseIncludedUsd('5.00')).toBe(5_000_000_000n);
    expect(parseIncludedUsd('0.000000001')).toBe(1n);
    expect(parseIncludedUsd('9000000')).toBe(9_000_000_000_000_000n);
  });

  it('is at most nine million dollars, and never rounded', () => {
    for (const usd of ['9000000.000000001', '0.0000000001', '-1', '1e3', '5,00', '']) {
      expect(parseIncludedUsd(usd)).toBeUndefined();
    }
  });
});

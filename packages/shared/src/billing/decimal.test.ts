import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecimal, nanoUsdOf, parseDecimal, roundTo, wholeOrText } from './decimal.ts';

const decimal = fc.record({
  digits: fc.bigInt(-(10n ** 30n), 10n ** 30n),
  scale: fc.integer({ min: 0, max: 30 }),
});

describe('a decimal number', () => {
  it.each([
    ['0.1', 100_000_000n],
    ['-12.5', -12_500_000_000n],
    ['1.5e-05', 15_000n],
    ['2E3', 2_000_000_000_000n],
    // Halves are rounded away from zero.
    ['0.0000000005', 1n],
    ['-0.0000000005', -1n],
    ['0.00000000049999', 0n],
    // A float would end in …768.
    ['9007199.254740993', 9_007_199_254_740_993n],
    ['', undefined],
    ['1,5', undefined],
    ['0x10', undefined],
    ['NaN', undefined],
    ['1e999', undefined],
    ['12 USD', undefined],
  ])('%j is %s nano-USD', (text, nanoUsd) => {
    const parsed = parseDecimal(text);
    expect(parsed && nanoUsdOf(parsed)).toBe(nanoUsd);
  });

  it('is the same after it was written and read', () => {
    fc.assert(
      fc.property(decimal, (number) => {
        const read = parseDecimal(formatDecimal(number));
        expect(read && roundTo(read, 40)).toBe(roundTo(number, 40));
      }),
    );
  });

  it('is rounded by at most half a unit', () => {
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 30 }), (number, target) => {
        const off = roundTo({ digits: roundTo(number, target), scale: target }, 40) - roundTo(number, 40);
        const half = 10n ** BigInt(40 - target) / 2n;
        expect(off <= half && off >= -half).toBe(true);
      }),
    );
  });

  it('is a bigint if it is whole, else text', () => {
    expect(wholeOrText({ digits: 1_200n, scale: 2 })).toBe(12n);
    expect(wholeOrText({ digits: -1_250n, scale: 2 })).toBe('-12.5');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUsd, parseUsd, shortUsd } from './money.ts';

/** The largest amount with nine digits before the point. */
const MAX_NANO_USD = 10n ** 18n - 1n;

describe('money', () => {
  it('is read to the billionth of a dollar', () => {
    expect(parseUsd('0.15')).toBe(150_000_000n);
    expect(parseUsd('1')).toBe(1_000_000_000n);
    expect(parseUsd('0')).toBe(0n);
    expect(parseUsd('007.5')).toBe(7_500_000_000n);
    expect(parseUsd('0.000000001')).toBe(1n);
    expect(parseUsd('999999999.999999999')).toBe(MAX_NANO_USD);
  });

  it.each([
    '',
    '.5',
    '1.',
    '-1',
    '+1',
    '1e3',
    '1,5',
    ' 1',
    '1 ',
    '0.0000000001',
    '1000000000',
    'NaN',
    '１',
    '1\n',
  ])('is not read from %j', (text) => {
    expect(parseUsd(text)).toBeUndefined();
  });

  it('is written with nine decimals', () => {
    expect(formatUsd(0n)).toBe('0.000000000');
    expect(formatUsd(1n)).toBe('0.000000001');
    expect(formatUsd(150_000_000n)).toBe('0.150000000');
    expect(formatUsd(12_345_678_901n)).toBe('12.345678901');
    expect(formatUsd(-1n)).toBe('-0.000000001');
    expect(formatUsd(-1_500_000_000n)).toBe('-1.500000000');
  });

  it('has cents in a sentence, and no zeros after them that say nothing', () => {
    const written = [0n, 3_000_000_000n, 150_000_000n, 4_500n, 12_345_678_901n].map(shortUsd);
    expect(written).toEqual(['0.00', '3.00', '0.15', '0.0000045', '12.345678901']);
  });

  it('is the same after it was written and read again', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, MAX_NANO_USD), (nanoUsd) => parseUsd(formatUsd(nanoUsd)) === nanoUsd),
    );
  });

  it('is worth the same however many zeros it is written with', () => {
    const digits = fc.integer({ min: 0, max: 999_999_999 });
    fc.assert(
      fc.property(digits, digits, (whole, fraction) => {
        const text = `${whole}.${String(fraction).padStart(9, '0')}`;
        const shorter = text.replace(/0+$/, '').replace(/\.$/, '');
        expect(parseUsd(shorter)).toBe(BigInt(whole) * 1_000_000_000n + BigInt(fraction));
        expect(parseUsd(shorter)).toBe(parseUsd(text));
      }),
    );
  });
});

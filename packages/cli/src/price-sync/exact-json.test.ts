import { parseUsd } from '@model-gateway/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactNanoUsd, isNumber, isZero, parseExactJson } from './exact-json.ts';

describe('a number of a price file', () => {
  it('is the text that it is written in', () => {
    const text = String.raw`{"a": 1.5e-07, "b": [-2, 0.10], "c 1": "3 \"4\" 5", "d": "\\", "e": 1E+2, "f": null}`;
    expect(parseExactJson(text)).toEqual({
      ...{ a: '1.5e-07', b: ['-2', '0.10'], 'c 1': '3 "4" 5', d: '\\', e: '1E+2', f: null },
    });
    for (const wrong of ['{"a": 1.}', '{"a": .5}', '{"a": NaN}', '{"a" 1}', '[1 2]', '']) {
      expect(() => parseExactJson(wrong)).toThrow(SyntaxError);
    }
  });

  it('takes no longer for strings without an end, and for millions of signs or digits', () => {
    const before = process.cpuUsage();
    expect(() => parseExactJson(`{"a": "${String.raw`\"`.repeat(200_000)}`)).toThrow(SyntaxError);
    expect(isNumber('-'.repeat(1_000_000))).toBe(false);
    expect(exactNanoUsd(`1.${'3'.repeat(1_000_000)}`, 6)).toBeUndefined();
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });

  it('leaves every other JSON as it is', () => {
    const withoutNumbers = fc
      .jsonValue()
      .filter((value) => !/:-?\d|[[,]-?\d|^-?\d/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(withoutNumbers, (value) => {
        const text = JSON.stringify(value);
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('a price per token', () => {
  it.each([
    ['1.5e-07', '0.15'],
    ['1e-05', '10'],
    ['6.25e-08', '0.0625'],
    ['0.000005', '5'],
    ['3.125E-8', '0.03125'],
    ['1e-15', '0.000000001'],
    ['0.0', '0'],
    ['999.999999999', '999999999.999'],
  ])('%s is %s USD per million tokens', (perToken, perMillion) => {
    expect(exactNanoUsd(perToken, 6)).toBe(parseUsd(perMillion));
  });

  it.each(['1e-16', '1.0000000001e-06', '2.9999999999999997e-07', '1000', '-1', '', 'free', '1e-9999'])(
    '%j cannot be charged exactly',
    (perToken) => {
      expect(exactNanoUsd(perToken, 6)).toBeUndefined();
    },
  );

  it('is exact in every notation', () => {
    const nanoUsd = fc.bigInt({ min: 0n, max: 10n ** 17n });
    fc.assert(
      fc.property(
        nanoUsd,
        fc.integer({ min: -20, max: 20 }),
        fc.integer({ min: 0, max: 9 }),
        (nano, exponent, power) => {
          // nano / 10^(9 + power) in the source's unit, written with any exponent.
          const decimals = 9 + power + exponent;
          const digits = String(nano).padStart(Math.max(decimals, 0) + 1, '0');
          const text =
            decimals <= 0
              ? `${nano}${'0'.repeat(-decimals)}e${exponent}`
              : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}e${exponent}`;
          expect(exactNanoUsd(text, power)).toBe(nano);
          expect(isNumber(text)).toBe(true);
          expect(isZero(text)).toBe(nano === 0n);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

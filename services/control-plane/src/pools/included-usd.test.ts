import { expect, it } from 'vitest';
import { parseIncluded } from './included-usd.ts';

const parse = (includedUsd: string, unlimited = false) => parseIncluded({ includedUsd, unlimited });

it('a pool includes a decimal number of dollars, counted in nano-USD, or is unlimited', () => {
  expect(parse('5.00')).toBe(5_000_000_000n);
  expect(parse('0.000000001')).toBe(1n);
  expect(parse('9000000')).toBe(9_000_000_000_000_000n);
  expect(parse('', true)).toBeNull();
});

it('a pool includes at most nine million dollars, and is never rounded', () => {
  for (const usd of ['9000000.000000001', '0.0000000001', '-1', '1e3', '5,00', '', '0']) {
    expect(() => parse(usd)).toThrow('more than 0 and at most 9000000 US dollars');
  }
});

it('a pool is not both limited and unlimited', () => {
  expect(() => parse('5.00', true)).toThrow('choose one');
});

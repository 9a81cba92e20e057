import { describe, expect, test } from 'vitest';
import { formatUsd, formatUsdLeft, formatUsdShort } from './format-usd.ts';

describe('formatUsd', () => {
  test.each([
    ['0', '$0.00'],
    ['0.000000000', '$0.00'],
    ['5', '$5.00'],
    ['0.5', '$0.50'],
    ['1234.567', '$1,234.57'],
    ['0.1234', '$0.12'],
    ['-2.5', '-$2.50'],
  ])('%s is written with cents', (usd, text) => expect(formatUsd(usd)).toBe(text));

  test.each([
    ['0.05', '$0.05'],
    ['0.0123', '$0.0123'],
    ['0.000123', '$0.000123'],
    ['0.000000001', '$0.000000001'],
    ['0.00098765', '$0.000988'],
  ])('the small amount %s keeps its significant digits', (usd, text) => expect(formatUsd(usd)).toBe(text));
});

test.each([
  ['5.000000000', '$5.00'],
  ['4.999900000', '$4.9999'],
  ['4.999944000', '$4.99994'],
  ['4.999999999', '$4.999999999'],
  ['4.687900000', '$4.68'],
  ['0.000030000', '$0.00003'],
  ['0.000000000', '$0.00'],
])('of $5.00, %s is left as %s', (left, text) => expect(formatUsdLeft(left, '5.000000000')).toBe(text));

test('thousands are shortened on an axis', () => {
  expect(formatUsdShort(12_345)).toBe('$12.3K');
  expect(formatUsdShort(12)).toBe('$12.00');
});

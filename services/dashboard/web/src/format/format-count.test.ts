import { expect, test } from 'vitest';
import { countOf, formatCount, formatCountShort, formatShare } from './format-count.ts';

test('whole numbers have thousands separators', () => {
  expect(formatCount(0)).toBe('0');
  expect(formatCount(1_234_567)).toBe('1,234,567');
});

test('the short format shortens numbers from 10,000 on', () => {
  expect(formatCountShort(9_999)).toBe('9,999');
  expect(formatCountShort(1_234_567)).toBe('1.2M');
});

test('a count of one has the singular', () => {
  expect(countOf(1, 'request')).toBe('1 request');
  expect(countOf(0, 'request')).toBe('0 requests');
  expect(countOf(1200, 'key')).toBe('1,200 keys');
});

test('only an exact share reads 100% or 0%', () => {
  expect(formatShare(1)).toBe('100%');
  expect(formatShare(0.99999)).toBe('>99.9%');
  expect(formatShare(0.995)).toBe('99.5%');
  expect(formatShare(0.00001)).toBe('<0.1%');
  expect(formatShare(0)).toBe('0%');
});

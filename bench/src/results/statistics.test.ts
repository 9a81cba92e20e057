import { expect, it } from 'vitest';
import { median, percentile, spread, spreadText } from './statistics.ts';

it('the median is the middle value, or lies between the two middle ones', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
});

it('a percentile is the smallest value that the given share of all values does not exceed', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0.5, 0.95, 1].map((share) => percentile(values, share))).toEqual([50, 95, 100]);
  expect(percentile([7], 0.95)).toBe(7);
  expect(() => percentile([], 0.5)).toThrow(RangeError);
});

it('the spread of rounds is their median, minimum and maximum', () => {
  expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
});

it('rounds are formatted with their spread, and missing values as a dash', () => {
  expect(spreadText([1_234, 1_000, 2_000], 0)).toBe('1,234 (1,000–2,000)');
  expect(spreadText([0.126], 2)).toBe('0.13');
  expect(spreadText([Number.NaN, 1, 3], 1)).toBe('2.0 (1.0–3.0)');
  expect(spreadText([], 1)).toBe('–');
});

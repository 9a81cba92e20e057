import { expect, test } from 'vitest';
import { valueTicks } from './value-ticks.ts';

test('the value axis has four equal round steps that reach the highest bar', () => {
  expect(valueTicks(0.37, false)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
  expect(valueTicks(0.000091, false)).toEqual([0, 0.000025, 0.00005, 0.000075, 0.0001]);
  expect(valueTicks(8, true)).toEqual([0, 2, 4, 6, 8]);
  expect(valueTicks(1_734, true)).toEqual([0, 500, 1_000, 1_500, 2_000]);
});

test('an axis of whole numbers has no fractions', () => {
  for (let max = 1; max < 200; max++) {
    const ticks = valueTicks(max, true);
    expect(ticks.every(Number.isInteger), `${max}`).toBe(true);
    expect(ticks.at(-1), `${max}`).toBeGreaterThanOrEqual(max);
  }
});

test('an empty chart has only the label 0', () => expect(valueTicks(0, true)).toEqual([0]));

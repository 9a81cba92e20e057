import { expect, it } from 'vitest';
import { describeChange } from './describe-change.ts';

it.each([
  [112, 100, '+12% against last week'],
  [50, 100, '−50% against last week'],
  [2_500, 100, '+24× against last week'],
  [100.1, 100, 'as last week'],
  [7, 0, 'none last week'],
  [0, 0, 'none last week either'],
  [0, 7, '−100% against last week'],
])('%j against %j is described as %j', (now, before, text) => {
  expect(describeChange(now, before)?.text).toBe(text);
});

it('a figure that is not known now or was not known then is not compared', () => {
  expect(describeChange(null, 3)).toBeUndefined();
  expect(describeChange(3, undefined)).toBeUndefined();
});

it('a change is good or bad by the direction that is better', () => {
  expect(describeChange(2, 1, 'less')?.isGood).toBe(false);
  expect(describeChange(1, 2, 'less')?.isGood).toBe(true);
  expect(describeChange(2, 1)?.isGood).toBeUndefined();
});

import { expect, test } from 'vitest';
import { amountProblem } from './amount-problem.ts';

test('an amount up to the whole remaining balance can be moved, exact to a billionth', () => {
  expect(amountProblem('0.300000001', '0.300000001')).toBeUndefined();
  expect(amountProblem('0.300000002', '0.300000001')).toContain('Only $0.300000001');
  expect(amountProblem('4', '3.500000000')).toContain('Only $3.50 can be moved');
  expect(amountProblem('123456789.123456789', '123456789.123456788')).toContain('Only');
});

test('an amount is a positive number of dollars', () => {
  expect(amountProblem(' 12.5 ', '100')).toBeUndefined();
  expect(amountProblem('0.00', '100')).toBe('Enter more than 0.');
  for (const text of ['', '-1', '$5', '1,5', '1e3', '.5']) {
    expect(amountProblem(text, '100')).toContain('US dollars');
  }
});

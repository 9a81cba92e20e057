import { expect, it } from 'vitest';
import { RetryBudget } from './retry-budget.ts';

it('the retry budget allows ten retries in ten seconds, or a fifth of the requests if that is more', () => {
  let nowMs = 0;
  const budget = new RetryBudget(() => nowMs);
  const takeAll = () => {
    let taken = 0;
    while (budget.takeRetry()) taken++;
    return taken;
  };
  expect(takeAll()).toBe(10);
  for (let request = 0; request < 5_000; request++) budget.countRequest();
  expect(takeAll()).toBe(990);
  nowMs = 10_001;
  expect(takeAll()).toBe(10);
});

it('faulty requests use up no retry of a failing provider', () => {
  const budget = new RetryBudget(() => 0);
  while (budget.takeRetry('request'));
  expect(budget.takeRetry('provider')).toBe(true);
});

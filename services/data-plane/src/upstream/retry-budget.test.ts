import { expect, it } from 'vitest';
import { RetryBudget } from './retry-budget.ts';

function takeAll(budget: RetryBudget, payer = 'acme'): number {
  let taken = 0;
  while (budget.takeRetry(payer)) taken++;
  return taken;
}

it('the retry budget allows ten retries in ten seconds, or a fifth of the requests if that is more', () => {
  let nowMs = 0;
  const budget = new RetryBudget(() => nowMs);
  expect(takeAll(budget)).toBe(10);
  for (let request = 0; request < 5_000; request++) budget.countRequest();
  expect(takeAll(budget)).toBe(990);
  nowMs = 10_001;
  expect(takeAll(budget)).toBe(10);
});

it('a request counts towards the retry budget for ten seconds', () => {
  let nowMs = 0;
  const budget = new RetryBudget(() => nowMs);
  for (; nowMs < 60_000; nowMs += 10) budget.countRequest();
  // A fifth of the 900 requests in the window, which ends with a second that has just begun.
  expect(takeAll(budget)).toBe(180);
  nowMs += 5_000;
  expect(takeAll(budget)).toBe(0);
  nowMs += 5_000;
  expect(takeAll(budget)).toBe(10);
});

it('faulty requests use up no retry of a failing provider', () => {
  const budget = new RetryBudget(() => 0);
  while (budget.takeRetry('acme', 'request'));
  expect(budget.takeRetry('acme', 'provider')).toBe(true);
});

it('a payer that has used up the retries leaves others their share, and many payers add little', () => {
  let nowMs = 0;
  const budget = new RetryBudget(() => nowMs);
  expect(takeAll(budget, 'hostile')).toBe(10);
  expect(takeAll(budget, 'honest')).toBe(5);
  expect(takeAll(budget, 'late')).toBe(3);
  let more = 0;
  for (let payer = 0; payer < 1_000; payer++) more += takeAll(budget, `payer ${payer}`);
  expect(more).toBeLessThan(15);
  nowMs = 10_000;
  expect(takeAll(budget, 'hostile')).toBe(10);
});

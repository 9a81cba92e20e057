import { describe, expect, it } from 'vitest';
import { insufficientBalance } from './balance-errors.ts';

const missing = {
  neededNanoUsd: 12_000_000n,
  availableNanoUsd: 4_000_000n,
  heldNanoUsd: 1_000_000n,
  resetsAt: 1_798_761_600,
  fitsMaxTokens: undefined,
};

describe('a balance that does not cover the request', () => {
  it('is reported in figures, with the next reset, which may add less than the request needs', () => {
    const error = insufficientBalance(missing);
    expect(error).toMatchObject({ code: 'insufficient_balance', status: 402, type: 'insufficient_balance' });
    expect(error.details).toEqual({
      needed_usd: '0.012000000',
      available_usd: '0.004000000',
      held_usd: '0.001000000',
      resets_at: 1_798_761_600,
    });
    expect(error.message).toBe(
      'This request may cost up to 0.012 USD, and the balance has 0.005 USD left; ' +
        'running requests have reserved 0.001 USD of it. ' +
        'Send a smaller request, or ask for a higher balance. A reset at 2027-01-01T00:00:00Z adds credit.',
    );
  });

  it('tells clients not to retry', () => {
    expect(insufficientBalance(missing).headers).toEqual({ 'x-should-retry': 'false' });
  });

  it('tells clients to retry if running requests have reserved the missing money', () => {
    const error = insufficientBalance({ ...missing, heldNanoUsd: 8_000_000n });
    expect(error.headers).toEqual({ 'retry-after': '1' });
    expect(error.message).toContain(
      'has 0.012 USD left; running requests have reserved 0.008 USD of it. Retry when',
    );
    expect(insufficientBalance({ ...missing, heldNanoUsd: 7_999_999n }).headers).not.toHaveProperty(
      'retry-after',
    );
  });

  it('is reported with the max_tokens that it would cover', () => {
    const error = insufficientBalance({ ...missing, fitsMaxTokens: 6_500 });
    expect(error.message).toContain('Set max_tokens to at most 6500, or ask for');
    expect(error.details).toMatchObject({ max_tokens: 6_500 });
    const ofResponses = { ...missing, fitsMaxTokens: 6_500, outputField: 'max_output_tokens' };
    expect(insufficientBalance(ofResponses).message).toContain('Set max_output_tokens to at most 6500');
  });

  it('gets other advice if it never resets', () => {
    const empty = { ...missing, availableNanoUsd: 0n, heldNanoUsd: 0n, resetsAt: undefined };
    const error = insufficientBalance(empty);
    expect(error.details.resets_at).toBeNull();
    expect(error.message).toContain('has 0 USD left. Ask for a higher balance.');
  });

  it('names the page where the account buys credit', () => {
    const error = insufficientBalance({
      ...missing,
      resetsAt: undefined,
      creditUrl: 'https://shop.example.com/a',
    });
    expect(error.message).toMatch(/or buy credit at https:\/\/shop\.example\.com\/a\.$/);
  });

  it('names the budget that is too small, its limit, what is left of it and when the next one begins', () => {
    const budget = {
      id: 'bud_1',
      scope: 'end_user',
      window: 'month',
      limitNanoUsd: 25_000_000_000n,
    } as const;
    const error = insufficientBalance({ ...missing, creditUrl: 'https://shop.example.com', budget });
    expect(error).toMatchObject({ code: 'insufficient_balance', status: 402 });
    expect(error.headers).toEqual({ 'x-should-retry': 'false' });
    expect(error.details).toEqual({
      needed_usd: '0.012000000',
      available_usd: '0.004000000',
      held_usd: '0.001000000',
      resets_at: 1_798_761_600,
      scope: 'end_user',
      budget_id: 'bud_1',
      limit_usd: '25.000000000',
      remaining_usd: '0.004000000',
      window: 'month',
    });
    expect(error.message).toBe(
      'This request may cost up to 0.012 USD, and the budget of this end user (25.00 USD a month) has ' +
        '0.005 USD left; running requests have reserved 0.001 USD of it. Send a smaller request, or ask for a ' +
        'higher budget. A reset at 2027-01-01T00:00:00Z begins a new budget.',
    );
  });

  it.each([
    ['total', 'key', 'the budget of this key (25.00 USD in total) has'],
    ['day', 'team', 'the budget of the team (25.00 USD a day) has'],
  ] as const)(
    'tells clients to retry if running requests hold the rest of a budget (%s)',
    (window, scope, text) => {
      const budget = { id: 'bud_1', scope, window, limitNanoUsd: 25_000_000_000n };
      const error = insufficientBalance({ ...missing, heldNanoUsd: 8_000_000n, budget });
      expect(error.headers).toEqual({ 'retry-after': '1' });
      expect(error.message).toContain(text);
    },
  );
});

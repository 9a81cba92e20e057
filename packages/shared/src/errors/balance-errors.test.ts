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
  it('is told in figures, with the time at which waiting helps', () => {
    const error = insufficientBalance(missing);
    expect(error).toMatchObject({ code: 'insufficient_balance', status: 402, type: 'insufficient_balance' });
    expect(error.details).toEqual({
      needed_usd: '0.012000000',
      available_usd: '0.004000000',
      held_usd: '0.001000000',
      resets_at: 1_798_761_600,
    });
    expect(error.message).toBe(
      'This request may cost up to 0.012 USD, and the balance has 0.005 USD left, ' +
        'of which requests in flight hold 0.001 USD. ' +
        'Wait until it resets at 2027-01-01T00:00:00Z, or have the balance raised (free ' +
        'models need none).',
    );
  });

  it('is not worth a retry, and clients are told so', () => {
    expect(insufficientBalance(missing).headers).toEqual({ 'x-should-retry': 'false' });
  });

  it('is worth one while other requests in flight hold what is missing', () => {
    const error = insufficientBalance({ ...missing, heldNanoUsd: 8_000_000n });
    expect(error.headers).toEqual({ 'retry-after': '1' });
    expect(error.message).toContain(
      'has 0.012 USD left, of which requests in flight hold 0.008 USD. Retry when',
    );
    expect(insufficientBalance({ ...missing, heldNanoUsd: 7_999_999n }).headers).not.toHaveProperty(
      'retry-after',
    );
  });

  it('comes with the max_tokens that it would cover', () => {
    const error = insufficientBalance({ ...missing, fitsMaxTokens: 6_500 });
    expect(error.message).toContain('Set max_tokens to at most 6500, or wait until');
    expect(error.details).toMatchObject({ max_tokens: 6_500 });
    const ofResponses = { ...missing, fitsMaxTokens: 6_500, outputField: 'max_output_tokens' };
    expect(insufficientBalance(ofResponses).message).toContain('Set max_output_tokens to at most 6500');
  });

  it('that never resets says what else can be done', () => {
    const empty = { ...missing, availableNanoUsd: 0n, heldNanoUsd: 0n, resetsAt: undefined };
    const error = insufficientBalance(empty);
    expect(error.details.resets_at).toBeNull();
    expect(error.message).toContain('has 0 USD left. Have the balance raised (free models need none).');
  });
});

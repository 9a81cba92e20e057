import { costOf, formatUsd, NO_UNITS, priceOf } from '@model-gateway/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittingMaxTokens, insufficientBalance } from './insufficient-balance.ts';

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
      'This request may cost up to 0.012 USD, and the balance has 0.005 USD left, of which requests in flight hold 0.001 USD. Wait until it resets at 2027-01-01T00:00:00Z, or have the balance raised (free models need none).',
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
  });

  it('that never resets says what else can be done', () => {
    const empty = { ...missing, availableNanoUsd: 0n, heldNanoUsd: 0n, resetsAt: undefined };
    const error = insufficientBalance(empty);
    expect(error.details.resets_at).toBeNull();
    expect(error.message).toContain('has 0 USD left. Have the balance raised (free models need none).');
  });
});

describe('the max_tokens that a balance covers', () => {
  const price = priceOf({ input_per_million_usd: '0.15', output_per_million_usd: '0.6' });
  const most = { ...NO_UNITS, inputTokens: 100, outputTokens: 4_096 };

  it('leaves room for being named in the request', () => {
    // (100 + 40) × 150 + 10 × 600 nano-USD
    expect(fittingMaxTokens(most, price, 27_000n, 1)).toBe(10);
    expect(fittingMaxTokens(most, price, 27_000n, 2)).toBe(5);
  });

  it('is none when the input alone costs too much', () => {
    expect(fittingMaxTokens(most, price, 21_000n, 1)).toBeUndefined();
    expect(fittingMaxTokens(most, price, 0n, 1)).toBeUndefined();
  });

  it('is the largest that fits, for any request, price and balance', () => {
    const upTo = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(
        upTo(100_000),
        fc.integer({ min: 1, max: 50_000 }),
        fc.integer({ min: 1, max: 128 }),
        upTo(10_000_000_000),
        upTo(10_000_000_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (input, perChoice, choices, inputNano, outputNano, share) => {
          const price = priceOf({
            input_per_million_usd: formatUsd(BigInt(inputNano)),
            output_per_million_usd: formatUsd(BigInt(outputNano)),
          });
          const units = { ...NO_UNITS, inputTokens: input, outputTokens: perChoice * choices };
          const needed = costOf(units, price);
          const available = BigInt(Math.floor(Number(needed) * share));
          const costWith = (maxTokens: number) =>
            costOf({ ...units, inputTokens: input + 40, outputTokens: maxTokens * choices }, price);
          const largest = fittingMaxTokens(units, price, available, choices) ?? 0;
          if (largest > 0) expect(costWith(largest) <= available).toBe(true);
          if (largest < perChoice) expect(costWith(largest + 1) > available).toBe(true);
          expect(largest).toBeLessThanOrEqual(perChoice);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

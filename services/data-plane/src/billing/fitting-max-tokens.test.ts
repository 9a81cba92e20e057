import { costOf, formatUsd, NO_UNITS, priceOf } from '@model-gateway/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittingMaxTokens } from './fitting-max-tokens.ts';

describe('the max_tokens that a balance covers', () => {
  const price = priceOf({ input_per_million_usd: '0.15', output_per_million_usd: '0.6' });
  const most = { ...NO_UNITS, inputTokens: 100, outputTokens: 4_096 };

  it('includes the bytes that the member adds to the request', () => {
    // (100 + 40) × 150 + 10 × 600 nano-USD
    expect(fittingMaxTokens(most, price, 27_000n, 1)).toBe(10);
    expect(fittingMaxTokens(most, price, 27_000n, 2)).toBe(5);
  });

  it('is undefined when the input alone costs too much', () => {
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

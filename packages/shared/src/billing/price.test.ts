import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUsd, parseUsd } from './money.ts';
import { costOf, priceOf } from './price.ts';
import type { Prices, Pricing } from './pricing.ts';
import { NO_UNITS, type Units } from './units.ts';

const cost = (units: Partial<Units>, pricing: Pricing) => costOf({ ...NO_UNITS, ...units }, priceOf(pricing));

describe('the price of a request', () => {
  it.each<[unit: string, units: Partial<Units>, pricing: Pricing, nanoUsd: bigint]>([
    ['input tokens', { inputTokens: 1_000 }, { input_per_million_usd: '0.15' }, 150_000n],
    ['output tokens', { outputTokens: 500 }, { output_per_million_usd: '0.6' }, 300_000n],
    [
      'cached input tokens',
      { inputTokens: 1_000, cachedInputTokens: 400 },
      { input_per_million_usd: '0.15', cached_input_per_million_usd: '0.075' },
      600n * 150n + 400n * 75n,
    ],
    [
      'cached input tokens without a price of their own',
      { inputTokens: 1_000, cachedInputTokens: 400 },
      { input_per_million_usd: '0.15' },
      150_000n,
    ],
    [
      'cached input tokens that are free',
      { inputTokens: 1_000, cachedInputTokens: 400 },
      { input_per_million_usd: '0.15', cached_input_per_million_usd: '0' },
      90_000n,
    ],
    ['images', { images: 3 }, { image_usd: '0.04' }, 120_000_000n],
    ['characters', { characters: 4_096 }, { characters_per_million_usd: '15' }, 61_440_000n],
    ['audio', { audioMs: 90_500 }, { audio_second_usd: '0.0001' }, 9_050_000n],
    ['search units', { searchUnits: 2 }, { search_unit_usd: '0.002' }, 4_000_000n],
  ])('counts %s', (_, units, pricing, nanoUsd) => {
    expect(cost(units, pricing)).toBe(nanoUsd);
  });

  it('is nothing for units without a price, and for no units', () => {
    const all = { ...NO_UNITS, inputTokens: 9, outputTokens: 9, images: 9, characters: 9, audioMs: 9 };
    expect(cost(all, {})).toBe(0n);
    expect(cost({ outputTokens: 9 }, { input_per_million_usd: '1' })).toBe(0n);
    expect(cost({}, { input_per_million_usd: '1', image_usd: '1' })).toBe(0n);
  });

  it('is rounded up, once for the whole request', () => {
    // One token costs 0.4 nano-USD.
    const pricing = { input_per_million_usd: '0.0004', output_per_million_usd: '0.0004' };
    expect(cost({ inputTokens: 1 }, pricing)).toBe(1n);
    expect(cost({ inputTokens: 1, outputTokens: 1 }, pricing)).toBe(1n);
    expect(cost({ inputTokens: 2, outputTokens: 1 }, pricing)).toBe(2n);
    expect(cost({ inputTokens: 5, outputTokens: 5 }, pricing)).toBe(4n);
  });

  it('takes the smallest prices of a catalog as they are', () => {
    const least = '0.000000001';
    expect(cost({ inputTokens: 1_000_000 }, { input_per_million_usd: least })).toBe(1n);
    expect(cost({ inputTokens: 1_000_001 }, { input_per_million_usd: least })).toBe(2n);
    expect(cost({ audioMs: 1_000 }, { audio_second_usd: least })).toBe(1n);
    expect(cost({ audioMs: 1 }, { audio_second_usd: least })).toBe(1n);
    expect(cost({ images: 1 }, { image_usd: least })).toBe(1n);
  });

  it('is never taken from what is no price', () => {
    expect(() => priceOf({ input_per_million_usd: '-1' })).toThrow('"-1" is no price');
    expect(() => priceOf({ image_usd: '' })).toThrow();
  });
});

describe('the arithmetic of a request', () => {
  const count = fc.nat(1_000_000_000);
  const usd = fc.option(fc.bigInt(0n, 10n ** 18n - 1n).map(formatUsd), { nil: undefined });
  const anyUnits = fc
    .record({
      inputTokens: count,
      cachedShare: fc.double({ min: 0, max: 1, noNaN: true }),
      outputTokens: count,
      images: count,
      characters: count,
      audioMs: count,
      searchUnits: count,
    })
    .map(({ cachedShare, ...units }) => ({
      ...NO_UNITS,
      ...units,
      cachedInputTokens: Math.floor(units.inputTokens * cachedShare),
    }));
  const anyPricing = fc
    .record({
      input_per_million_usd: usd,
      cached_input_per_million_usd: usd,
      output_per_million_usd: usd,
      image_usd: usd,
      characters_per_million_usd: usd,
      audio_second_usd: usd,
      search_unit_usd: usd,
    })
    .map((pricing): Prices => Object.fromEntries(Object.entries(pricing).filter(([, price]) => price)));

  it('is exact: the least whole nano-USD that is not less than the sum as fractions', () => {
    fc.assert(
      fc.property(anyUnits, anyPricing, (units, pricing) => {
        const parts: [count: number, usd: string | undefined, per: bigint][] = [
          [units.inputTokens - units.cachedInputTokens, pricing.input_per_million_usd, 1_000_000n],
          [
            units.cachedInputTokens,
            pricing.cached_input_per_million_usd ?? pricing.input_per_million_usd,
            1_000_000n,
          ],
          [units.outputTokens, pricing.output_per_million_usd, 1_000_000n],
          [units.images, pricing.image_usd, 1n],
          [units.characters, pricing.characters_per_million_usd, 1_000_000n],
          [units.audioMs, pricing.audio_second_usd, 1_000n],
          [units.searchUnits, pricing.search_unit_usd, 1n],
        ];
        const sum = parts.map(([units, price, per]) => fraction(units, price, per)).reduce(plus);
        const nanoUsd = costOf(units, priceOf(pricing));
        expect(nanoUsd * sum.denominator >= sum.numerator).toBe(true);
        expect((nanoUsd - 1n) * sum.denominator < sum.numerator).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never charges less for more', () => {
    fc.assert(
      fc.property(anyUnits, anyPricing, fc.nat(1_000), (units, pricing, more) => {
        const price = priceOf(pricing);
        const before = costOf(units, price);
        for (const unit of ['inputTokens', 'outputTokens', 'images', 'audioMs'] as const) {
          expect(costOf({ ...units, [unit]: units[unit] + more }, price) >= before).toBe(true);
        }
      }),
    );
  });
});

interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

function fraction(units: number, usd: string | undefined, per: bigint): Fraction {
  return { numerator: BigInt(units) * (parseUsd(usd ?? '0') ?? 0n), denominator: per };
}

function plus(left: Fraction, right: Fraction): Fraction {
  return {
    numerator: left.numerator * right.denominator + right.numerator * left.denominator,
    denominator: left.denominator * right.denominator,
  };
}

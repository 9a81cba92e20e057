import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUsd, parseUsd } from './money.ts';
import {
  costOf,
  costOfParts,
  isTierPriced,
  maxCostOf,
  priceAtTier,
  priceOf,
  priceToHold,
  unpricedColumns,
  unpricedUnits,
  withFactor,
} from './price.ts';
import type { Prices, Pricing } from './pricing.ts';
import { NO_UNITS, PARTS, type PriceName, UNITS, type Units } from './units.ts';

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
    [
      'tokens written to the cache, which may be dearer than others',
      { inputTokens: 1_000, cachedInputTokens: 100, cacheWriteTokens: 200, cacheWrite1hTokens: 300 },
      {
        input_per_million_usd: '3',
        cached_input_per_million_usd: '0.3',
        cache_write_per_million_usd: '3.75',
        cache_write_1h_per_million_usd: '6',
      },
      400n * 3_000n + 100n * 300n + 200n * 3_750n + 300n * 6_000n,
    ],
    [
      'tokens of audio and images',
      {
        inputTokens: 100,
        audioInputTokens: 40,
        imageInputTokens: 10,
        outputTokens: 100,
        audioOutputTokens: 60,
        imageOutputTokens: 5,
      },
      {
        input_per_million_usd: '1',
        audio_input_per_million_usd: '10',
        image_input_per_million_usd: '2',
        output_per_million_usd: '4',
        audio_output_per_million_usd: '20',
        image_output_per_million_usd: '30',
      },
      50n * 1_000n + 40n * 10_000n + 10n * 2_000n + 35n * 4_000n + 60n * 20_000n + 5n * 30_000n,
    ],
    [
      'reasoning with a price of its own',
      { outputTokens: 100, reasoningTokens: 70 },
      { output_per_million_usd: '4', reasoning_per_million_usd: '5' },
      30n * 4_000n + 70n * 5_000n,
    ],
    [
      'reasoning without one, as output',
      { outputTokens: 100, reasoningTokens: 70 },
      { output_per_million_usd: '4', audio_output_per_million_usd: '9' },
      400_000n,
    ],
    [
      "searches and calls of the provider's tools",
      { webSearchRequests: 3, toolCalls: 2 },
      { web_search_request_usd: '0.01', tool_call_usd: '0.002' },
      34_000_000n,
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

  it('a malformed price is refused', () => {
    expect(() => priceOf({ input_per_million_usd: '-1' })).toThrow('"-1" is not a price');
    expect(() => priceOf({ image_usd: '' })).toThrow();
  });
});

describe('a unit that a provider reports and the model has no price for', () => {
  const base = {
    input_per_million_usd: '3',
    cached_input_per_million_usd: '0.3',
    output_per_million_usd: '15',
  };

  it.each<[what: string, units: Partial<Units>, more: Pricing, nanoUsd: bigint]>([
    ['a write to the cache', { inputTokens: 10, cacheWriteTokens: 10 }, {}, 30_000n],
    [
      'a write for an hour, where one for five minutes is the dearest',
      { inputTokens: 10, cacheWrite1hTokens: 10 },
      { cache_write_per_million_usd: '3.75' },
      37_500n,
    ],
    [
      'audio, where images are the dearest',
      { outputTokens: 10, audioOutputTokens: 10 },
      { image_output_per_million_usd: '60' },
      600_000n,
    ],
    ['an image', { inputTokens: 10, imageInputTokens: 10 }, { audio_input_per_million_usd: '4' }, 40_000n],
    ['a search, where calls have a price', { webSearchRequests: 1 }, { tool_call_usd: '0.5' }, 500_000_000n],
    ['a call, where nothing has one', { toolCalls: 1 }, {}, 10_000_000n],
  ])('%s is charged at the dearest price that it could have, and told apart', (_, units, more, nanoUsd) => {
    const price = priceOf({ ...base, ...more });
    const all = { ...NO_UNITS, ...units };
    expect(costOf(all, price)).toBe(nanoUsd);
    const [unit] = Object.keys(units).slice(-1);
    expect(unpricedUnits(all, price)).toEqual([unit]);
  });

  it('a unit with a price is not reported, nor a part that is charged in its whole', () => {
    const units = {
      ...NO_UNITS,
      inputTokens: 9,
      cachedInputTokens: 3,
      cacheWriteTokens: 3,
      outputTokens: 9,
      reasoningTokens: 4,
    };
    const price = priceOf({ ...base, cache_write_per_million_usd: '0' });
    expect(unpricedUnits(units, price)).toEqual([]);
    expect(
      unpricedUnits({ ...units, cachedInputTokens: 0 }, priceOf({ input_per_million_usd: '3' })),
    ).toEqual(['cacheWriteTokens']);
  });
});

describe('tiers', () => {
  const pricing: Pricing = {
    input_per_million_usd: '3',
    cached_input_per_million_usd: '0.3',
    output_per_million_usd: '15',
    tiers: [
      { above_input_tokens: 1_000, input_per_million_usd: '6', output_per_million_usd: '22.5' },
      { above_input_tokens: 2_000, cached_input_per_million_usd: '1', cache_write_per_million_usd: '9' },
    ],
  };
  const tokens = (inputTokens: number) => ({ inputTokens, cachedInputTokens: 500, outputTokens: 100 });

  it('price all of a request by its input, cached tokens included', () => {
    expect(cost(tokens(1_000), pricing)).toBe(500n * 3_000n + 500n * 300n + 100n * 15_000n);
    expect(cost(tokens(1_001), pricing)).toBe(501n * 6_000n + 500n * 300n + 100n * 22_500n);
  });

  it('have the prices of the model where they have none of their own, not those of the tier below', () => {
    expect(cost(tokens(2_001), pricing)).toBe(1_501n * 3_000n + 500n * 1_000n + 100n * 15_000n);
  });

  it('say for themselves what has no price', () => {
    const unpriced = (inputTokens: number) =>
      unpricedUnits({ ...NO_UNITS, inputTokens, cacheWriteTokens: 5 }, priceOf(pricing));
    expect([unpriced(2_000), unpriced(2_001)]).toEqual([['cacheWriteTokens'], []]);
  });
});

describe('service tiers', () => {
  const pricing: Pricing = {
    input_per_million_usd: '4',
    cached_input_per_million_usd: '0.4',
    output_per_million_usd: '20',
    tiers: [{ above_input_tokens: 1_000, input_per_million_usd: '8' }],
    service_tiers: {
      flex: {
        input_per_million_usd: '2',
        output_per_million_usd: '10',
        tiers: [{ above_input_tokens: 1_000, input_per_million_usd: '5' }],
      },
      priority: {
        input_per_million_usd: '7',
        cached_input_per_million_usd: '0.3',
        output_per_million_usd: '30',
        tiers: [{ above_input_tokens: 1_000, output_per_million_usd: '35' }],
      },
    },
  };
  const price = priceOf(pricing);
  const used = (inputTokens: number): Units => ({
    ...NO_UNITS,
    inputTokens,
    cachedInputTokens: 100,
    outputTokens: 10,
  });

  it.each<[string | undefined, short: bigint, long: bigint]>([
    [undefined, 900n * 4_000n + 100n * 400n + 10n * 20_000n, 1_900n * 8_000n + 100n * 400n + 10n * 20_000n],
    ['default', 900n * 4_000n + 100n * 400n + 10n * 20_000n, 1_900n * 8_000n + 100n * 400n + 10n * 20_000n],
    ['reserved', 900n * 4_000n + 100n * 400n + 10n * 20_000n, 1_900n * 8_000n + 100n * 400n + 10n * 20_000n],
    ['flex', 900n * 2_000n + 100n * 400n + 10n * 10_000n, 1_900n * 5_000n + 100n * 400n + 10n * 10_000n],
    ['priority', 900n * 7_000n + 100n * 300n + 10n * 30_000n, 1_900n * 7_000n + 100n * 300n + 10n * 35_000n],
    // The dearest input of a long context is that of the default tier.
    ['turbo', 900n * 7_000n + 100n * 400n + 10n * 30_000n, 1_900n * 8_000n + 100n * 400n + 10n * 35_000n],
  ])('a request at %s costs the prices of the tier, else those of the model', (tier, short, long) => {
    const at = priceAtTier(price, tier);
    expect([costOf(used(1_000), at), costOf(used(2_000), at)]).toEqual([short, long]);
    expect(isTierPriced(price, tier)).toBe(tier !== 'turbo');
    expect(unpricedColumns(used(1_000), price, tier)).toEqual(tier === 'turbo' ? ['service_tier'] : []);
  });

  it('a factor multiplies the price of every tier', () => {
    for (const tier of [undefined, 'flex', 'priority', 'turbo']) {
      const sold = priceAtTier(withFactor(price, 1_200_000n), tier);
      expect(costOf(used(1_000), sold)).toBe((costOf(used(1_000), priceAtTier(price, tier)) * 6n) / 5n);
    }
  });

  it('a model without service tiers has one price', () => {
    expect(priceAtTier(priceOf({ input_per_million_usd: '1' }), 'flex')).toEqual(
      priceOf({ input_per_million_usd: '1' }),
    );
  });
});

describe('parts of a request at other models', () => {
  it('are added up exactly, each at its own price and tier, and rounded up once', () => {
    const small = priceOf({ input_per_million_usd: '0.0004' });
    const large = priceOf({
      input_per_million_usd: '0.0004',
      tiers: [{ above_input_tokens: 1, input_per_million_usd: '0.0008' }],
    });
    const of = (inputTokens: number) => ({ ...NO_UNITS, inputTokens });
    // 0.4 + 0.4 + 1.6 nano-USD
    expect(
      costOfParts([
        { units: of(1), price: small },
        { units: of(1), price: large },
        { units: of(2), price: large },
      ]),
    ).toBe(3n);
    expect(costOfParts([])).toBe(0n);
  });
});

describe('what is set aside', () => {
  const usd = fc.bigInt(0n, 10n ** 12n).map(formatUsd);
  const anyPrices = fc
    .uniqueArray(fc.constantFrom(...UNITS.map(({ price }) => price.name)))
    .chain((names) =>
      fc.tuple(...names.map((name) => usd.map((price): [PriceName, string] => [name, price]))),
    )
    .map((entries): Prices => Object.fromEntries(entries));
  const anyPricing = fc
    .record({
      prices: anyPrices,
      tiers: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3_000 }), anyPrices), {
        selector: ([above]) => above,
        maxLength: 4,
      }),
    })
    .map(
      ({ prices, tiers }): Pricing => ({
        ...prices,
        tiers: tiers
          .toSorted(([left], [right]) => left - right)
          .map(([above_input_tokens, own]) => ({ above_input_tokens, ...own })),
      }),
    );
  const anyService = fc.option(anyPricing, { nil: undefined });
  const anyTiers = fc
    .record({ base: anyPricing, flex: anyService, priority: anyService })
    .map(({ base, flex, priority }): Pricing => ({ ...base, service_tiers: { flex, priority } }));
  const wholes = UNITS.filter(({ partOf }) => partOf === undefined).map(({ unit }) => unit);
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const anyUse = fc.record({
    most: fc.array(fc.integer({ min: 0, max: 4_000 }), {
      minLength: wholes.length,
      maxLength: wholes.length,
    }),
    used: fc.array(share, { minLength: UNITS.length, maxLength: UNITS.length }),
  });

  /** Units within `most`: of each whole a share, and of each part a share of what is left of its whole. */
  function within(most: Units, shares: readonly number[]): Units {
    const units: Units = { ...NO_UNITS };
    for (const [place, { unit, partOf }] of UNITS.entries()) {
      if (partOf === undefined) units[unit] = Math.round(most[unit] * (shares[place] ?? 0));
    }
    for (const [place, { unit }] of UNITS.entries()) {
      const whole = PARTS.find(({ part }) => part.unit === unit)?.whole;
      if (whole === undefined) continue;
      const taken = PARTS.filter((other) => other.whole === whole).reduce(
        (sum, { part }) => sum + units[part.unit],
        0,
      );
      units[unit] = Math.floor((units[whole.unit] - taken) * (shares[place] ?? 0));
    }
    return units;
  }

  it('covers whatever a request consumes within its bounds, at any prices and tiers', () => {
    fc.assert(
      fc.property(anyPricing, anyUse, (pricing, { most: counts, used }) => {
        const most: Units = { ...NO_UNITS };
        for (const [place, unit] of wholes.entries()) most[unit] = counts[place] ?? 0;
        const price = priceOf(pricing);
        expect(maxCostOf(most, price)).toBeGreaterThanOrEqual(costOf(within(most, used), price));
      }),
      { numRuns: 2_000 },
    );
  });

  it('covers a request at any service tier, and no tier costs more than one without a price', () => {
    fc.assert(
      fc.property(anyTiers, anyUse, (pricing, { most: counts, used }) => {
        const most: Units = { ...NO_UNITS };
        for (const [place, unit] of wholes.entries()) most[unit] = counts[place] ?? 0;
        const price = priceOf(pricing);
        const consumed = within(most, used);
        const dearest = costOf(consumed, priceAtTier(price, 'unheard-of'));
        for (const tier of [undefined, 'flex', 'priority']) {
          const at = priceAtTier(price, tier);
          const held = maxCostOf(most, priceToHold(price, tier));
          expect(held).toBeGreaterThanOrEqual(costOf(consumed, at));
          // The provider may serve it at the default tier.
          expect(held).toBeGreaterThanOrEqual(costOf(consumed, price));
          expect(dearest).toBeGreaterThanOrEqual(isTierPriced(price, tier) ? costOf(consumed, at) : 0n);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is that of the tier or that without a tier, whichever is dearer, times the factor of a price list', () => {
    const inputAt = (usd: string) => ({ input_per_million_usd: usd });
    const price = withFactor(
      priceOf({ ...inputAt('3'), service_tiers: { flex: inputAt('1'), priority: inputAt('5') } }),
      1_500_000n,
    );
    const held = (tier?: string) => maxCostOf({ ...NO_UNITS, inputTokens: 10 }, priceToHold(price, tier));
    expect([undefined, 'flex', 'priority', 'turbo'].map(held)).toEqual([45_000n, 45_000n, 75_000n, 75_000n]);
  });

  it('is the dearest price of each direction, of the tiers that the input can reach alone', () => {
    const pricing: Pricing = {
      input_per_million_usd: '3',
      cache_write_1h_per_million_usd: '6',
      output_per_million_usd: '15',
      reasoning_per_million_usd: '20',
      tiers: [{ above_input_tokens: 1_000, input_per_million_usd: '7', output_per_million_usd: '10' }],
    };
    const most = (inputTokens: number): Units => ({ ...NO_UNITS, inputTokens, outputTokens: 10 });
    const price = priceOf(pricing);
    expect(maxCostOf(most(1_000), price)).toBe(1_000n * 6_000n + 10n * 20_000n);
    expect(maxCostOf(most(1_001), price)).toBe(1_001n * 7_000n + 10n * 20_000n);
  });
});

describe('the arithmetic of a request', () => {
  const count = fc.nat(100_000);
  const usd = fc.option(fc.bigInt(0n, 10n ** 9n - 1n).map(formatUsd), { nil: undefined });
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

  it('charges the maximum for a count that no request can have, and never fails', () => {
    const price = priceOf({ input_per_million_usd: '3', image_usd: '1' });
    for (const images of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300, 2 ** 53]) {
      expect(costOf({ ...NO_UNITS, images }, price)).toBe(10n ** 15n);
      expect(maxCostOf({ ...NO_UNITS, images }, price)).toBe(10n ** 15n);
      expect(costOfParts([{ units: { ...NO_UNITS, images }, price }])).toBe(10n ** 15n);
    }
    expect(costOf({ ...NO_UNITS, images: 0.5 }, price)).toBe(10n ** 9n);
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

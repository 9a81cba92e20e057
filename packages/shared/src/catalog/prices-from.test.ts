import { describe, expect, it } from 'vitest';
import { outdatedPrices, priceAgeDays, priceOrigin, pricesFromProblems } from './prices-from.ts';

const DAY_MS = 86_400_000;
const NAMED = { source: 'a contract', date: '2026-10-01', prices: ['tiers.200000.input_per_million_usd'] };
const OTHERS = { source: 'https://prices.example', date: '2026-11-27' };
const PRICING = {
  input_per_million_usd: '1',
  output_per_million_usd: '2',
  tiers: [{ above_input_tokens: 200_000, input_per_million_usd: '2' }],
};

describe('the origin of prices', () => {
  it('is that of the entry that names the price, else of the one without names', () => {
    expect(priceOrigin([OTHERS, NAMED], 'tiers.200000.input_per_million_usd')).toBe(NAMED);
    expect(priceOrigin([OTHERS, NAMED], 'input_per_million_usd')).toBe(OTHERS);
    expect(priceOrigin([NAMED], 'input_per_million_usd')).toBeUndefined();
    expect(priceOrigin(undefined, 'input_per_million_usd')).toBeUndefined();
  });

  it('names each price once, and only prices of the model', () => {
    expect(pricesFromProblems([NAMED, OTHERS], PRICING)).toEqual([]);
    expect(pricesFromProblems([OTHERS, OTHERS, NAMED, NAMED], PRICING)).toEqual([
      { path: [1], message: 'every other price is named twice' },
      { path: [3, 'prices'], message: 'tiers.200000.input_per_million_usd is named twice' },
    ]);
    expect(pricesFromProblems([{ ...NAMED, prices: ['image_usd'] }], PRICING)).toEqual([
      { path: [0, 'prices'], message: 'the model has no price image_usd' },
    ]);
  });

  it('is outdated after 60 days, or after its end', () => {
    const at = (day: string, ms = 0) => Date.parse(day) + ms;
    expect(priceAgeDays('2026-11-24', at('2026-11-26T23:00:00Z'))).toBe(2);
    expect(outdatedPrices([OTHERS, NAMED], at('2026-10-01', 61 * DAY_MS - 1))).toBeUndefined();
    expect(outdatedPrices([OTHERS, NAMED], at('2026-10-01', 61 * DAY_MS))).toBe(NAMED);
    const temporary = { ...OTHERS, until: '2026-12-31' };
    expect(outdatedPrices([temporary], at('2026-12-31T23:59:59Z'))).toBeUndefined();
    expect(outdatedPrices([NAMED, temporary], at('2027-01-01'))).toBe(temporary);
  });
});

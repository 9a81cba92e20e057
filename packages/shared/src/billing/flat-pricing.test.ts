import { describe, expect, it } from 'vitest';
import { filePricing, flatPricing, nestedPricing, pricingMembers } from './flat-pricing.ts';
import type { Pricing } from './pricing.ts';

const PRICING: Pricing = {
  input_per_million_usd: '3',
  output_per_million_usd: '15',
  tiers: [
    { above_input_tokens: 200_000, input_per_million_usd: '6' },
    { above_input_tokens: 1_000_000, input_per_million_usd: '9', cache_write_1h_per_million_usd: '18' },
  ],
};

describe('prices on their way through the protocol', () => {
  it('are one list of decimal strings, in which every price of a tier names its bound', () => {
    expect(flatPricing(PRICING)).toEqual({
      input_per_million_usd: '3',
      output_per_million_usd: '15',
      'tiers.200000.input_per_million_usd': '6',
      'tiers.1000000.input_per_million_usd': '9',
      'tiers.1000000.cache_write_1h_per_million_usd': '18',
    });
  });

  it('come out as they stand in the catalog file', () => {
    expect(filePricing(flatPricing(PRICING))).toEqual(PRICING);
    expect(filePricing({ image_usd: '0.04' })).toEqual({ image_usd: '0.04' });
  });

  it('name the service tier, and come out as they stand in the file', () => {
    const pricing: Pricing = { ...PRICING, service_tiers: { flex: PRICING, batch: { image_usd: '0.01' } } };
    const flat = flatPricing(pricing);
    expect(flat).toMatchObject({
      'service_tiers.flex.input_per_million_usd': '3',
      'service_tiers.flex.tiers.200000.input_per_million_usd': '6',
      'service_tiers.batch.image_usd': '0.01',
    });
    expect(filePricing(flat)).toEqual(pricing);
    expect(pricingMembers(flat)).toContain('service_tiers');
    expect(pricingMembers(flat)).toContain('image_usd');
  });

  it('have their tiers from below, whatever the order of the list', () => {
    const reversed = Object.fromEntries(Object.entries(flatPricing(PRICING)).toReversed());
    expect(nestedPricing(reversed).tiers.map((tier) => tier.above_input_tokens)).toEqual([
      200_000, 1_000_000,
    ]);
  });

  it('name all that who charges them must know', () => {
    expect(new Set(pricingMembers(flatPricing(PRICING)))).toEqual(
      new Set(['input_per_million_usd', 'output_per_million_usd', 'tiers', 'cache_write_1h_per_million_usd']),
    );
  });
});

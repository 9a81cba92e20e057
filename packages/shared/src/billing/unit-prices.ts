import { type FlatPricing, nestedPricing } from './flat-pricing.ts';
import { formatPrice, parsePrice } from './money.ts';
import { contextRates, PER_MILLION } from './price.ts';
import { perUnit, type Unit } from './units.ts';

export { nestedPricing } from './flat-pricing.ts';

interface PricedRequest {
  /** All input tokens, cached ones included: they decide the tier. */
  inputTokens: number;
  /** As in `priceAtTier`. */
  serviceTier?: string | undefined;
}

/**
 * Returns the prices of a request to a paid model, in US dollars per number of units that the catalog uses
 * (`per`); undefined: the unit is free.
 */
export function unitPrices(
  flat: FlatPricing,
  { inputTokens, serviceTier }: PricedRequest,
): Record<Unit, string | undefined> {
  const { serviceTiers, ...base } = nestedPricing(flat);
  const services = serviceTiers.map(([tier, own]) => [tier, contextsOf(own)] as const);
  const pricing = { ...contextsOf(base), service_tiers: Object.fromEntries(services) };
  const rates = contextRates(pricing, serviceTier, parsePrice).findLast(({ above }) => inputTokens > above);
  return perUnit('unit', ({ unit, price: { per } }) => {
    const one = rates?.each[unit];
    return one === undefined ? undefined : formatPrice((one * BigInt(per)) / PER_MILLION);
  });
}

function contextsOf({ prices, tiers }: Pick<ReturnType<typeof nestedPricing>, 'prices' | 'tiers'>) {
  return { ...prices, tiers: tiers.map(({ prices: own, ...bound }) => ({ ...bound, ...own })) };
}

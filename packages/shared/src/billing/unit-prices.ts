import { type FlatPricing, nestedPricing } from './flat-pricing.ts';
import { formatPrice, parsePrice } from './money.ts';
import { eachUnit, PER_MILLION } from './price.ts';
import { perUnit, type Unit } from './units.ts';

/**
 * Returns the prices of a request to a paid model, in US dollars per number of units that the catalog uses
 * (`per`); undefined: the unit is free.
 * @param inputTokens all input tokens, cached ones included: they decide the tier
 */
export function unitPrices(flat: FlatPricing, inputTokens: number): Record<Unit, string | undefined> {
  const { prices, tiers } = nestedPricing(flat);
  const tier = tiers.findLast(({ above_input_tokens: above }) => inputTokens > above);
  const { each } = eachUnit({ ...prices, ...tier?.prices }, parsePrice);
  return perUnit('unit', ({ unit, price: { per } }) => {
    const one = each[unit];
    return one === undefined ? undefined : formatPrice((one * BigInt(per)) / PER_MILLION);
  });
}

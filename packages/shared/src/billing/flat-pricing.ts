import type { Pricing } from './pricing.ts';

/**
 * The prices of a model as one list of names and decimal strings, which is how the protocol carries them. A
 * price of a tier has the bound of its tier before its name: `tiers.200000.input_per_million_usd`. A release
 * that does not know tiers finds a name there that it does not know, and does not take the model for cheaper.
 */
export type FlatPricing = Readonly<Record<string, string>>;

/** Prices in the form of the catalog file, with names that perhaps only a newer release knows. */
interface NestedPricing {
  prices: Record<string, string>;
  /** By their bounds, from below. */
  tiers: { above_input_tokens: number; prices: Record<string, string> }[];
}

const OF_TIER = /^tiers\.(\d{1,10})\.(.+)$/;

export function flatPricing({ tiers = [], ...prices }: Pricing): Record<string, string> {
  return Object.fromEntries([
    ...definedPrices(prices),
    ...tiers.flatMap(({ above_input_tokens, ...own }) =>
      definedPrices(own).map(([name, usd]) => [`tiers.${above_input_tokens}.${name}`, usd] as const),
    ),
  ]);
}

export function nestedPricing(flat: FlatPricing): NestedPricing {
  const prices: Record<string, string> = {};
  const tiers = new Map<number, Record<string, string>>();
  for (const [flatName, usd] of Object.entries(flat)) {
    const [, bound, name] = OF_TIER.exec(flatName) ?? [];
    if (bound === undefined || name === undefined) {
      prices[flatName] = usd;
      continue;
    }
    const above = Number(bound);
    tiers.set(above, { ...tiers.get(above), [name]: usd });
  }
  return {
    prices,
    tiers: [...tiers]
      .sort(([left], [right]) => left - right)
      .map(([above_input_tokens, own]) => ({ above_input_tokens, prices: own })),
  };
}

/** Returns prices as they stand in the catalog file. They are not checked. */
export function filePricing(flat: FlatPricing): Record<string, unknown> {
  const { prices, tiers } = nestedPricing(flat);
  const ofFile = tiers.map(({ above_input_tokens, prices: own }) => ({ above_input_tokens, ...own }));
  return ofFile.length === 0 ? prices : { ...prices, tiers: ofFile };
}

/**
 * Returns the members of `pricing` in the catalog file that such a list needs: names of prices, and `tiers`.
 */
export function pricingMembers(flat: FlatPricing): string[] {
  const { prices, tiers } = nestedPricing(flat);
  const ofTiers = tiers.flatMap((tier) => ['tiers', ...Object.keys(tier.prices)]);
  return [...Object.keys(prices), ...ofTiers];
}

function definedPrices(prices: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(prices).flatMap(([name, usd]) => (usd === undefined ? [] : [[name, usd]]));
}

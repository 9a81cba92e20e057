import type { Pricing, ServicePricing } from './pricing.ts';

/**
 * Prices of a model as the protocol carries them: names and decimal strings. The name of a tier's price
 * begins with the tier's bound, `tiers.200000.input_per_million_usd`, or with the service tier,
 * `service_tiers.flex.input_per_million_usd`: releases without tiers do not know such a name, and do not take
 * the model for cheaper.
 */
export type FlatPricing = Readonly<Record<string, string>>;

/** Prices in the form of the catalog file. Some names may be known only to a newer release. */
interface ContextPricing {
  prices: Record<string, string>;
  /** Sorted by their bounds, the lowest first. */
  tiers: { above_input_tokens: number; prices: Record<string, string> }[];
}

interface NestedPricing extends ContextPricing {
  serviceTiers: [tier: string, ContextPricing][];
}

const SERVICES = 'service_tiers';
const OF_SERVICE = /^service_tiers\.([^.]+)\.(.+)$/;
const OF_TIER = /^tiers\.(\d{1,10})\.(.+)$/;

export function flatPricing({ service_tiers: services = {}, ...base }: Pricing): Record<string, string> {
  const ofServices = Object.entries(services).flatMap(([tier, own]) =>
    own === undefined
      ? []
      : Object.entries(flatContexts(own)).map(([name, usd]) => [`${SERVICES}.${tier}.${name}`, usd] as const),
  );
  return { ...flatContexts(base), ...Object.fromEntries(ofServices) };
}

function flatContexts({ tiers = [], ...prices }: ServicePricing): Record<string, string> {
  return Object.fromEntries([
    ...definedPrices(prices),
    ...tiers.flatMap(({ above_input_tokens, ...own }) =>
      definedPrices(own).map(([name, usd]) => [`tiers.${above_input_tokens}.${name}`, usd] as const),
    ),
  ]);
}

export function nestedPricing(flat: FlatPricing): NestedPricing {
  const base: Record<string, string> = {};
  const services = new Map<string, Record<string, string>>();
  for (const [flatName, usd] of Object.entries(flat)) {
    const [, tier, name] = OF_SERVICE.exec(flatName) ?? [];
    if (tier === undefined || name === undefined) base[flatName] = usd;
    else services.set(tier, { ...services.get(tier), [name]: usd });
  }
  return {
    ...nestedContexts(base),
    serviceTiers: [...services].map(([tier, own]) => [tier, nestedContexts(own)]),
  };
}

function nestedContexts(flat: FlatPricing): ContextPricing {
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

/** Converts prices to the form of the catalog file, without checking them. */
export function filePricing(flat: FlatPricing): Record<string, unknown> {
  const { serviceTiers, ...base } = nestedPricing(flat);
  if (serviceTiers.length === 0) return fileContexts(base);
  const services = serviceTiers.map(([tier, own]) => [tier, fileContexts(own)] as const);
  return { ...fileContexts(base), [SERVICES]: Object.fromEntries(services) };
}

function fileContexts({ prices, tiers }: ContextPricing): Record<string, unknown> {
  const ofFile = tiers.map(({ above_input_tokens, prices: own }) => ({ above_input_tokens, ...own }));
  return ofFile.length === 0 ? prices : { ...prices, tiers: ofFile };
}

/**
 * Returns the members of `pricing` in the catalog file that these prices use: their names, `tiers` and
 * `service_tiers`.
 */
export function pricingMembers(flat: FlatPricing): string[] {
  const { serviceTiers, ...base } = nestedPricing(flat);
  const ofServices = serviceTiers.flatMap(([, own]) => [SERVICES, ...membersOf(own)]);
  return [...membersOf(base), ...ofServices];
}

function membersOf({ prices, tiers }: ContextPricing): string[] {
  const ofTiers = tiers.flatMap((tier) => ['tiers', ...Object.keys(tier.prices)]);
  return [...Object.keys(prices), ...ofTiers];
}

function definedPrices(prices: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(prices).flatMap(([name, usd]) => (usd === undefined ? [] : [[name, usd]]));
}

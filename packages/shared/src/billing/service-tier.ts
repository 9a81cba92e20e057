/** The service tiers of providers that can have prices of their own in the catalog. */
export const SERVICE_TIERS = ['flex', 'priority', 'batch'] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** The tier of requests that ask for none, at the price of the model. */
export const DEFAULT_TIER = 'default';
/**
 * Capacity that the operator has bought in advance. The provider charges nothing by the token, so the price
 * of the model counts.
 */
const RESERVED_TIER = 'reserved';

/** Each provider's words for its tiers, in lower case. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['default', DEFAULT_TIER],
  ['standard', DEFAULT_TIER],
  ['standard_only', DEFAULT_TIER],
  ['on_demand', DEFAULT_TIER],
  ['flex', 'flex'],
  ['on_demand_flex', 'flex'],
  ['priority', 'priority'],
  ['fast', 'priority'],
  ['on_demand_priority', 'priority'],
  ['batch', 'batch'],
  ['reserved', RESERVED_TIER],
  ['scale', RESERVED_TIER],
  ['performance', RESERVED_TIER],
  ['provisioned_throughput', RESERVED_TIER],
]);
/** Words that leave the choice to the provider, or say nothing. */
const OPEN: ReadonlySet<string> = new Set(['auto', 'unspecified', 'traffic_type_unspecified']);
const PLAIN = /^[a-z0-9_-]{1,32}$/;
const UNKNOWN = 'unknown';

/**
 * Reads a provider's or a caller's word for a tier. Unknown tiers keep their word.
 * @returns undefined for a word that names no tier, such as "auto", and for anything but text
 */
export function readServiceTier(word: unknown): string | undefined {
  if (typeof word !== 'string' || word === '') return undefined;
  const lower = word.toLowerCase();
  if (OPEN.has(lower)) return undefined;
  return WORDS.get(lower) ?? (PLAIN.test(lower) ? lower : UNKNOWN);
}

/** Returns true if requests of a tier cost what the model costs without a tier. */
export function isAtBasePrice(tier: string | undefined): boolean {
  return tier === undefined || tier === DEFAULT_TIER || tier === RESERVED_TIER;
}

/** Returns true if no provider charges more for a tier, by `readServiceTier`, than for its default one. */
export function isCheaperTier(tier: string): boolean {
  return tier === DEFAULT_TIER || tier === 'flex' || tier === 'batch';
}

export function isServiceTier(tier: string | undefined): tier is ServiceTier {
  return SERVICE_TIERS.some((known) => known === tier);
}

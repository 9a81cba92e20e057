import { pricingMembers } from '@model-gateway/shared';
import type { CatalogToSend } from './catalog-message.ts';

/** The prices that the releases know which do not say what they know. */
const FIRST_PRICES: readonly string[] = [
  'input_per_million_usd',
  'cached_input_per_million_usd',
  'output_per_million_usd',
  'image_usd',
  'characters_per_million_usd',
  'audio_second_usd',
  'search_unit_usd',
];

/**
 * Leaves out the paid models that a watcher of another release would charge too little for, because it does
 * not know one of their prices. It does not serve them before it is upgraded.
 * @param known what the watcher says it can charge; empty: it does not say
 */
export function chargeableCatalog(catalog: CatalogToSend, known: readonly string[]): CatalogToSend {
  const names = new Set(known.length === 0 ? FIRST_PRICES : known);
  const models = catalog.models.filter(
    ({ priceVersion, pricing }) =>
      priceVersion === undefined || pricingMembers(pricing).every((name) => names.has(name)),
  );
  return models.length === catalog.models.length ? catalog : { ...catalog, models };
}

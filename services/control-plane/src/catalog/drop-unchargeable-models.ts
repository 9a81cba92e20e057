import { GUARDRAILS, guardrailEntry, PRICE_LISTS, pricingMembers } from '@model-gateway/shared';
import type { CatalogToSend } from './catalog-message.ts';

/** Prices known to releases that do not report which prices they know. */
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
 * Removes paid models with a price that the watcher's release does not know and would not charge: all of them
 * if there are price lists and it does not know these. Also removes models that guardrails check, if it does
 * not know guardrails and would serve them unchecked.
 * @param known prices that the watcher reports; empty: it reports none
 */
export function dropUnchargeableModels(catalog: CatalogToSend, known: readonly string[]): CatalogToSend {
  const names = new Set(known.length === 0 ? FIRST_PRICES : known);
  const knowsLists = catalog.priceLists.length === 0 || names.has(PRICE_LISTS);
  const isChecked = checkedModels(catalog);
  const knowsGuardrails = names.has(GUARDRAILS);
  const models = catalog.models.filter(
    (model) =>
      (knowsGuardrails || !isChecked(model)) &&
      (model.priceVersion === undefined ||
        (knowsLists && pricingMembers(model.pricing).every((name) => names.has(name)))),
  );
  return models.length === catalog.models.length ? catalog : { ...catalog, models };
}

function checkedModels({ guardrails }: CatalogToSend) {
  const checksAccounts = guardrails.some(
    ({ definition }) => guardrailEntry.parse(JSON.parse(definition)).accounts.length > 0,
  );
  return (model: CatalogToSend['models'][number]) =>
    model.guardrails.length > 0 || (checksAccounts && model.capability === 'chat');
}

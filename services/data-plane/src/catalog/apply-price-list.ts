import type { PriceListVersion } from '@model-gateway/shared';
import { priceListUnknown } from '@model-gateway/shared/errors';
import type { KeyContext } from '../keys/key-context.ts';
import type { ModelTable, RoutedModel } from './model-table.ts';

/** Caches models with the prices of a price list, for each version of a list. */
const priced = new WeakMap<PriceListVersion, WeakMap<RoutedModel, RoutedModel>>();

/**
 * Returns the price list by which the requests of a key are charged now; undefined: at the catalog's prices;
 * 'unknown': the list has not arrived yet.
 */
export function priceListOf(
  { priceLists }: Pick<ModelTable, 'priceLists'>,
  { priceListId }: Pick<KeyContext, 'priceListId'>,
): PriceListVersion | undefined | 'unknown' {
  return priceLists.inForce(priceListId, Date.now());
}

/**
 * Returns a model with the prices of a price list. A free model stays free.
 * @throws GatewayError 503 for a paid model, if the list is unknown
 */
export function applyPriceList(
  model: RoutedModel,
  list: PriceListVersion | undefined | 'unknown',
): RoutedModel {
  const { price } = model;
  if (list === undefined || price === undefined) return model;
  if (list === 'unknown') throw priceListUnknown();
  let models = priced.get(list);
  if (models === undefined) {
    models = new WeakMap();
    priced.set(list, models);
  }
  let found = models.get(model);
  if (found === undefined) {
    found = { ...model, price: { ...price, selling: list.sellingPrice(model.id, price.cost), list } };
    models.set(model, found);
  }
  return found;
}

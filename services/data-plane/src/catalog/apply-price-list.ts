import type { PriceListVersion } from '@model-gateway/shared';
import { priceListUnknown } from '@model-gateway/shared/errors';
import type { KeyContext } from '../keys/key-context.ts';
import type { ModelTable, RoutedModel } from './model-table.ts';

/** Caches models with the prices of a price list, for each version of a list. */
const priced = new WeakMap<PriceListVersion, WeakMap<RoutedModel, RoutedModel>>();

/**
 * Returns the version of the price list that is in force for a key; undefined: the catalog's prices.
 * @throws GatewayError 503 if the list has not arrived yet
 */
export function priceListOf(
  { priceLists }: Pick<ModelTable, 'priceLists'>,
  { priceListId }: Pick<KeyContext, 'priceListId'>,
): PriceListVersion | undefined {
  const list = priceLists.inForce(priceListId, Date.now());
  if (list === 'unknown') throw priceListUnknown();
  return list;
}

/** Returns a model with the prices of a price list. A free model stays free. */
export function applyPriceList(model: RoutedModel, list: PriceListVersion | undefined): RoutedModel {
  const { price } = model;
  if (list === undefined || price === undefined) return model;
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

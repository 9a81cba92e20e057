import { isCheaperTier, type Unpriced } from '@model-gateway/shared';
import { unpricedField } from '@model-gateway/shared/errors';
import { modelNamed } from '../catalog/model-named.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';

/**
 * Rejects parameters that change the provider's price and have no price in the catalog. Free models only
 * reject those that call another model which is not free, and service tiers that may cost the operator more.
 * @throws GatewayError 400 `invalid_request` that names the first such parameter
 */
export function refuseUnpriced(
  model: RoutedModel,
  unpriced: readonly Unpriced[] = [],
  table?: ModelTable,
): void {
  const refused = unpriced.find((one) => !isPriced(one, model, table));
  if (refused !== undefined) throw unpricedField(model.id, refused);
}

function isPriced(
  { needs, needsLimit, needsModel, needsTier }: Unpriced,
  model: RoutedModel,
  table?: ModelTable,
): boolean {
  const { price, tier } = model;
  if (tier === 'free') {
    if (needsTier !== undefined) return isCheaperTier(needsTier);
    return needsModel === undefined || isFree(needsModel, table);
  }
  if (needsTier !== undefined)
    // A fixed price of a price list may lack the tier.
    return (
      price !== undefined &&
      [price.selling, price.cost].every(({ serviceTiers }) => serviceTiers?.byTier.has(needsTier))
    );
  if (needs !== undefined)
    // Without a price of the catalog, it is not counted, so that a price list alone cannot charge it.
    return price?.selling.names.has(needs) === true && price.cost.names.has(needs);
  if (needsLimit !== undefined) return needsLimit.min <= (model[needsLimit.name] ?? Number.POSITIVE_INFINITY);
  if (needsModel === undefined || table === undefined) return false;
  return modelNamed(table, needsModel)?.price !== undefined;
}

function isFree(name: string, table: ModelTable | undefined): boolean {
  return table !== undefined && modelNamed(table, name)?.tier === 'free';
}

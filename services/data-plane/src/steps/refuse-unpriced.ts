import type { Unpriced } from '@model-gateway/shared';
import { unpricedField } from '@model-gateway/shared/errors';
import type { RoutedModel } from '../catalog/model-table.ts';

/**
 * What changes the provider's price must change the caller's: a paid model takes no parameter without a
 * price. Free models take them all.
 * @throws GatewayError 400 `invalid_request` that names the parameter
 */
export function refuseUnpriced(model: RoutedModel, unpriced: Unpriced | undefined): void {
  if (unpriced !== undefined && model.tier !== 'free') throw unpricedField(model.id, unpriced);
}

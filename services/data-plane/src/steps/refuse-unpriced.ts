import { GatewayError, type Unpriced } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';

/**
 * What changes the provider's price must change the caller's: a paid model takes no parameter without a
 * price. Free models take them all.
 * @throws GatewayError 400 `invalid_request` that names the parameter
 */
export function refuseUnpriced(model: RoutedModel, unpriced: Unpriced | undefined): void {
  if (unpriced === undefined || model.tier === 'free') return;
  const { param, advice } = unpriced;
  const message = `${param}: changes what the provider charges, and the model "${model.id}" has no price for it. ${advice}`;
  throw new GatewayError('invalid_request', message, { param });
}

import type { Unpriced } from '@model-gateway/shared';
import { unpricedField } from '@model-gateway/shared/errors';
import type { RoutedModel } from '../catalog/model-table.ts';

/**
 * What changes the provider's price must change the caller's: a paid model takes no parameter that it has no
 * price for. Free models take them all.
 * @throws GatewayError 400 `invalid_request` that names the first such parameter
 */
export function refuseUnpriced(model: RoutedModel, unpriced: readonly Unpriced[] = []): void {
  if (model.tier === 'free') return;
  const refused = unpriced.find(
    ({ needs }) => needs === undefined || model.price?.of.names.has(needs) !== true,
  );
  if (refused !== undefined) throw unpricedField(model.id, refused);
}

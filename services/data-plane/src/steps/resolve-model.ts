import { CAPABILITY_ENDPOINTS, type Capability, GatewayError } from '@model-gateway/shared';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';
import type { Exchange } from '../request-record.ts';

export interface ResolveModelContext {
  models: { readonly table: ModelTable | undefined };
}

/**
 * From the model id of the request to what the catalog says of it. Sets `record.model` and `record.streamed`.
 *
 * @throws GatewayError 404 `model_not_found`, 400 `wrong_endpoint`, 503 when the catalog is not there yet
 */
export function resolveModel(
  context: ResolveModelContext,
  exchange: Exchange,
  request: { model: string; streamed: boolean },
  capability: Capability,
): RoutedModel {
  const { table } = context.models;
  if (table === undefined) {
    throw new GatewayError(
      'control_plane_unavailable',
      'The gateway has no model catalog yet. Retry in a second.',
    );
  }
  const model = table.models.get(request.model);
  if (model === undefined) {
    const message = `There is no model ${JSON.stringify(request.model.slice(0, 200))}. GET /v1/models lists what there is.`;
    throw new GatewayError('model_not_found', message, { param: 'model' });
  }
  if (model.capability !== capability) {
    const message = `The model "${model.id}" is for ${model.capability}. Send it to ${CAPABILITY_ENDPOINTS[model.capability][0]}.`;
    throw new GatewayError('wrong_endpoint', message, { param: 'model' });
  }
  exchange.record.model = model;
  exchange.record.streamed = request.streamed;
  return model;
}

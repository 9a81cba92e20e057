import type { Capability } from '@model-gateway/shared';
import { modelNotFound, noCatalogYet, wrongEndpoint } from '@model-gateway/shared/errors';
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
  if (table === undefined) throw noCatalogYet();
  const model = table.models.get(request.model);
  if (model === undefined) throw modelNotFound(request.model);
  if (model.capability !== capability) throw wrongEndpoint(model);
  exchange.record.model = model;
  exchange.record.streamed = request.streamed;
  return model;
}

import type { Capability } from '@model-gateway/shared';
import { modelNotFound, noCatalogYet, wrongEndpoint } from '@model-gateway/shared/errors';
import { candidatesOf } from '../catalog/candidates.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';
import type { Exchange } from '../request-record.ts';

export interface ResolveModelContext {
  models: { readonly table: ModelTable | undefined };
}

/**
 * From the name in the request to the model that is asked. Sets `record.model` and `record.streamed`.
 *
 * @param goesOnFrom the id of the model that has made what the request goes on from, where its API has such a
 *   thing
 * @throws GatewayError 404 `model_not_found`, 400 `wrong_endpoint`, 503 when the catalog is not there yet
 */
export function resolveModel(
  context: ResolveModelContext,
  exchange: Exchange,
  request: { model: string; streamed: boolean },
  capability: Capability,
  goesOnFrom?: string,
): RoutedModel {
  const { table } = context.models;
  if (table === undefined) throw noCatalogYet();
  const choice = table.choices.get(request.model);
  if (choice === undefined) throw modelNotFound(request.model);
  const [model] = candidatesOf(choice, goesOnFrom);
  if (model.capability !== capability) throw wrongEndpoint(model);
  exchange.record.model = model;
  exchange.record.streamed = request.streamed;
  return model;
}

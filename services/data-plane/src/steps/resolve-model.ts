import type { Capability } from '@model-gateway/shared';
import { modelNotFound, noCatalogYet, wrongEndpoint } from '@model-gateway/shared/errors';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';
import type { Exchange } from '../request-record.ts';
import type { CandidateModels } from '../upstream/candidates.ts';

export interface ResolveModelContext {
  models: { readonly table: ModelTable | undefined };
}

/** The models that a request names. */
export interface AskedModels {
  model: string;
  /** All of them, in order, where the caller lists several; undefined: `model` alone. */
  models?: readonly string[] | undefined;
}

/**
 * From the model ids of the request to what the catalog says of them. Sets `record.model`,
 * `record.hasFallbacks` and `record.streamed`.
 *
 * @throws GatewayError 404 `model_not_found`, 400 `wrong_endpoint`, 503 when the catalog is not there yet
 */
export function resolveModel(
  context: ResolveModelContext,
  exchange: Exchange,
  request: AskedModels & { streamed: boolean },
  capability: Capability,
): CandidateModels {
  const { table } = context.models;
  if (table === undefined) throw noCatalogYet();
  const first = modelNamed(table, request.model, capability);
  exchange.record.model = first;
  exchange.record.streamed = request.streamed;
  const [, ...others] = request.models ?? [];
  exchange.record.hasFallbacks = others.length > 0;
  return [
    { model: first, isNamed: true },
    ...others.map((name) => ({ model: modelNamed(table, name, capability, 'models'), isNamed: true })),
  ];
}

function modelNamed(table: ModelTable, name: string, capability: Capability, param?: string): RoutedModel {
  const model = table.models.get(name);
  if (model === undefined) throw modelNotFound(name, param);
  if (model.capability !== capability) throw wrongEndpoint(model, param);
  return model;
}

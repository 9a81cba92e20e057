import type { VirtualModelMessage } from '@model-gateway/contracts';
import type { ModelObject } from '@model-gateway/shared';
import { globMatcher, type ListingRules } from '@model-gateway/shared/rules';
import { byId } from './model-objects.ts';
import { virtualModelObjects } from './virtual-model-objects.ts';

/** The models of a catalog, and the facts that filter them. */
export interface CatalogModels {
  /** Models with upstreams, sorted by id. */
  models: readonly ModelObject[];
  virtualModels: readonly VirtualModelMessage[];
  /** The providers that serve each model. */
  upstreams: readonly { id: string; providerIds: readonly string[] }[];
}

/** Returns all models, virtual ones among them, sorted by id. */
export function allModels({ models, virtualModels }: CatalogModels): ModelObject[] {
  return [...models, ...virtualModelObjects(virtualModels, models)].sort(byId);
}

/** Returns the models that rules allow. Removes all others from their members and fallbacks. */
export function allowedModels(catalog: CatalogModels, rules: ListingRules): ModelObject[] {
  const isModel = matchEvery(rules.models);
  const isProvider = matchEvery(rules.providers);
  const isEndpoint = matchEvery(rules.endpoints);
  const served = new Set(
    catalog.upstreams.flatMap(({ id, providerIds }) => (providerIds.some(isProvider) ? [id] : [])),
  );
  const models = catalog.models.filter(
    ({ capability, id }) => isEndpoint(capability) && served.has(id) && isModel(id),
  );
  const ids = new Set(models.map(({ id }) => id));
  return allModels({ ...catalog, models }).map((model) => withFallbacksIn(ids, model));
}

function withFallbacksIn(ids: ReadonlySet<string>, model: ModelObject): ModelObject {
  const { fallbacks, ...rest } = model;
  if (fallbacks === undefined || fallbacks.every((id) => ids.has(id))) return model;
  const allowed = fallbacks.filter((id) => ids.has(id));
  return allowed.length === 0 ? rest : { ...rest, fallbacks: allowed };
}

function matchEvery(lists: readonly (readonly string[])[]): (value: string) => boolean {
  const matchers = lists.map(globMatcher);
  return (value) => matchers.every((matches) => matches(value));
}

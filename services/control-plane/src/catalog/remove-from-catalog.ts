import type { CatalogDocument } from '@model-gateway/shared';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import { type AppliedCatalog, type CatalogContext, changeCatalog } from './apply-catalog.ts';
import type { StoredCatalog } from './catalog-store.ts';

/**
 * Retires a model, or a provider together with the models that only it serves. Models that other providers
 * serve too lose their upstreams at this one; those that name a retired model lose that name, and a virtual
 * model of which none is left is retired with the last. Nothing else changes.
 * @param id of a model or a provider; no id can be both, because only model ids have a slash
 * @param dryRun reports what would change, and changes nothing
 * @throws ControlPlaneError not_found
 */
export async function removeFromCatalog(
  context: CatalogContext,
  id: string,
  dryRun: boolean,
): Promise<AppliedCatalog> {
  return await changeCatalog(context, (current) => without(current, id), dryRun);
}

function without({ providers, models, virtualModels }: StoredCatalog, id: string): CatalogDocument {
  if ([...models, ...virtualModels].some((model) => model.id === id)) {
    return withoutDangling({
      providers,
      models: models.filter((model) => model.id !== id),
      virtualModels: virtualModels.filter((model) => model.id !== id),
    });
  }
  if (!providers.some((provider) => provider.id === id)) {
    throw new ControlPlaneError('not_found', `there is no model or provider ${id} in the catalog`);
  }
  return withoutDangling({
    providers: providers.filter((provider) => provider.id !== id),
    models: models
      .map((model) => ({ ...model, upstreams: model.upstreams.filter(({ provider }) => provider !== id) }))
      .filter(({ upstreams }) => upstreams.length > 0),
    virtualModels,
  });
}

/** Leaves out the names of models that are not there. */
function withoutDangling({ providers, models, virtualModels }: CatalogDocument): CatalogDocument {
  const ids = new Set(models.map(({ id }) => id));
  const known = (fallbacks: readonly string[]) => fallbacks.filter((id) => ids.has(id));
  return {
    providers,
    models: models.map((model) => ({ ...model, fallbacks: known(model.fallbacks) })),
    virtualModels: virtualModels
      .map((virtual) => ({
        ...virtual,
        models: virtual.models.filter(({ model }) => ids.has(model)),
        fallbacks: known(virtual.fallbacks),
      }))
      .filter((virtual) => virtual.models.length > 0),
  };
}

import type { CatalogDocument } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import { notFound } from '../errors/control-plane-error.ts';
import { type AppliedCatalog, type CatalogContext, changeCatalog } from './apply-catalog.ts';
import { dropDanglingNames } from './drop-dangling-names.ts';
import type { StoredCatalog } from './read-catalog-store.ts';

/**
 * Retires a model, or a provider with the models only it serves. Other models lose their upstreams there and
 * the names of retired models; a virtual model without models is retired.
 * @param request.id model ids have a slash, provider ids have none
 * @throws ControlPlaneError not_found
 */
export async function removeFromCatalog(
  context: CatalogContext,
  actor: Actor,
  { id, dryRun }: { id: string; dryRun: boolean },
): Promise<AppliedCatalog> {
  const decide = (current: StoredCatalog) => removeEntry(current, id);
  return await changeCatalog(context, actor, { action: 'catalog.removed', decide, dryRun });
}

function removeEntry(
  { guardrails, providers, models, virtualModels }: StoredCatalog,
  id: string,
): CatalogDocument {
  const kept = guardrails === undefined ? {} : { guardrails };
  if ([...models, ...virtualModels].some((model) => model.id === id)) {
    const others = <Model extends { id: string }>(of: readonly Model[]) =>
      of.filter((model) => model.id !== id);
    return { ...kept, providers, ...dropDanglingNames(others(models), others(virtualModels)) };
  }
  if (!providers.some((provider) => provider.id === id)) {
    throw notFound(`there is no model or provider ${id} in the catalog`);
  }
  const served = models
    .map((model) => ({ ...model, upstreams: model.upstreams.filter(({ provider }) => provider !== id) }))
    .filter(({ upstreams }) => upstreams.length > 0);
  return {
    ...kept,
    providers: providers.filter((provider) => provider.id !== id),
    ...dropDanglingNames(served, virtualModels),
  };
}

import type { CatalogModel, CatalogVirtualModel } from '@model-gateway/shared';

/**
 * Drops names of models not listed here (removed, or known to other releases only), and virtual models left
 * without any.
 */
export function dropDanglingNames<Model extends CatalogModel, Virtual extends CatalogVirtualModel>(
  models: readonly Model[],
  virtualModels: readonly Virtual[],
): { models: Model[]; virtualModels: Virtual[] } {
  const ids = new Set(models.map(({ id }) => id));
  const known = (fallbacks: readonly string[]) => fallbacks.filter((id) => ids.has(id));
  return {
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

import type { AffectedStore, AffectedUsers } from './affected-store.ts';
import type { AppliedCatalog } from './apply-catalog.ts';
import { catalogFileOf } from './catalog-file-of.ts';
import { type Difference, describeDifferences } from './describe-differences.ts';
import type { StoredCatalog } from './read-catalog-store.ts';

export interface Affected extends AffectedUsers {
  rules: { total: number; owners: string[] };
}

export interface CatalogEffects {
  differences: Difference[];
  affected: Affected;
}

/** Describes what a planned catalog changes field by field, and whom that affects. */
export async function describeEffects(
  { affectedStore }: { affectedStore: Pick<AffectedStore, 'rules' | 'users'> },
  { before, document }: Pick<AppliedCatalog, 'before' | 'document'>,
  signal: AbortSignal,
): Promise<CatalogEffects> {
  const differences = describeDifferences(catalogFileOf(before), catalogFileOf(document));
  const idsOf = (object: Difference['object']) =>
    differences.flatMap((each) => (each.object === object && each.change !== 'added' ? [each.id] : []));
  const providerIds = idsOf('provider');
  const modelIds = [...new Set([...idsOf('model'), ...modelsAt(before, providerIds)])];
  const [users, rules] = await Promise.all([
    affectedStore.users(modelIds, signal),
    affectedStore.rules(namesOf(before, modelIds), providerIds, signal),
  ]);
  return { differences, affected: { ...users, rules } };
}

function modelsAt({ models }: StoredCatalog, providerIds: readonly string[]): string[] {
  return models
    .filter(({ upstreams }) => upstreams.some(({ provider }) => providerIds.includes(provider)))
    .map(({ id }) => id);
}

/** Returns the ids and other names of models. */
function namesOf({ models, virtualModels }: StoredCatalog, modelIds: readonly string[]): string[] {
  const wanted = new Set(modelIds);
  return [...models, ...virtualModels]
    .filter(({ id }) => wanted.has(id))
    .flatMap(({ aliases, id }) => [id, ...aliases]);
}

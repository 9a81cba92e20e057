import type { CatalogChanges, Changes } from './compare-catalog.ts';

/** Ids in one audit event. */
const MAX_IDS = 100;

/** Catalog before a change, as audit events show it. */
export function catalogResource(revision: bigint) {
  return { object: 'catalog', revision: Number(revision) };
}

/** Catalog after a change: how many entries changed, and the first of them. */
export function changedCatalogResource(revision: bigint, { providers, models }: CatalogChanges) {
  return { ...catalogResource(revision), providers: summary(providers), models: summary(models) };
}

function summary({ added, changed, retired }: Changes) {
  return { added: counted(added), changed: counted(changed), retired: counted(retired) };
}

function counted(ids: readonly string[]) {
  return { count: ids.length, ids: ids.slice(0, MAX_IDS) };
}

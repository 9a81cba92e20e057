import { capabilityName } from './capability-names.ts';
import type { Model } from './matching-models.ts';

export type GroupBy = 'provider' | 'capability';

export interface ModelGroup {
  title: string;
  models: Model[];
  /** True if the models are shown at once; else only the title, until the reader opens it. */
  isOpenAtFirst: boolean;
}

/** Rows of the page, and of an opened group, that are shown at first: about three screens. */
export const ROWS_AT_FIRST = 40;

/** Groups models by provider, in alphabetical order, or by capability, in the order of the catalog. */
export function groupModels(models: readonly Model[], by: GroupBy): ModelGroup[] {
  const groups = Map.groupBy(models, (model) =>
    by === 'provider' ? model.owned_by : capabilityName(model.capability),
  );
  const entries = [...groups];
  if (by === 'provider') entries.sort(([a], [b]) => a.localeCompare(b, 'en'));
  let rows = 0;
  return entries.map(([title, inGroup]) => {
    rows += inGroup.length;
    return { title, models: inGroup, isOpenAtFirst: rows <= ROWS_AT_FIRST };
  });
}

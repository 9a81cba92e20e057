import type { Unpriced } from '@model-gateway/shared';
import { modelNamed } from '../catalog/model-named.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';

const NONE: readonly RoutedModel[] = [];

/**
 * Returns the catalog's models that a request lets its provider call besides its own, as advisor or fallback.
 */
export function otherModelsOf(
  unpriced: readonly Unpriced[] | undefined,
  table: ModelTable | undefined,
): readonly RoutedModel[] {
  // Fast path: hardly any request names another model.
  if (table === undefined || unpriced?.some(({ needsModel }) => needsModel !== undefined) !== true)
    return NONE;
  return unpriced.flatMap(({ needsModel }) => {
    const model = needsModel === undefined ? undefined : modelNamed(table, needsModel);
    return model ?? [];
  });
}

import type { Unpriced } from '@model-gateway/shared';
import { modelNamed } from '../catalog/model-named.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';

const NONE: readonly RoutedModel[] = [];

/**
 * The models of the catalog that a request has its provider ask beside its own: for advice, or as a fallback.
 */
export function otherModelsOf(
  unpriced: readonly Unpriced[] | undefined,
  table: ModelTable | undefined,
): readonly RoutedModel[] {
  // Hardly any request has one.
  if (table === undefined || unpriced?.some(({ needsModel }) => needsModel !== undefined) !== true)
    return NONE;
  return unpriced.flatMap(({ needsModel }) => {
    const model = needsModel === undefined ? undefined : modelNamed(table, needsModel);
    return model ?? [];
  });
}

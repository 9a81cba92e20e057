import type { LimitClass } from '@model-gateway/limits';
import type { ModelTable } from '../catalog/model-table.ts';
import { modelInFront } from '../json/model-in-front.ts';

/**
 * The limits that a request which has only begun to arrive could count against: those of its model where that
 * is known already, else those of models of either tier.
 */
export function possibleClasses(
  table: ModelTable | undefined,
  arrived: readonly Buffer[],
): readonly LimitClass[] {
  const name = modelInFront(arrived);
  const model = name === undefined ? undefined : table?.models.get(name);
  return model === undefined ? ['free', 'paid'] : [model.tier];
}

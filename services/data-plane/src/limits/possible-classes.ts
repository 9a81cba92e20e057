import type { LimitClass } from '@model-gateway/limits';
import type { ModelTable } from '../catalog/model-table.ts';
import { readLeadingModel } from '../json/read-leading-model.ts';

/**
 * The limits against which a request may count whose body has only begun to arrive: those of its model if
 * that is already known, else those of models of both tiers.
 */
export function possibleClasses(
  table: ModelTable | undefined,
  arrived: readonly Buffer[],
): readonly LimitClass[] {
  const name = readLeadingModel(arrived);
  const choice = name === undefined ? undefined : table?.choices.get(name);
  return choice === undefined ? ['free', 'paid'] : [choice.members[0].model.tier];
}

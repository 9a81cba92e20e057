import type { LimitClass } from '@model-gateway/limits';
import type { ModelTable } from '../catalog/model-table.ts';
import { readLeadingModel } from '../json/read-leading-model.ts';

/**
 * Returns the limits that a request may count against while its body arrives: that of its model if known,
 * else those of both tiers.
 */
export function possibleClasses(
  table: ModelTable | undefined,
  arrived: readonly Buffer[],
): readonly LimitClass[] {
  const name = readLeadingModel(arrived);
  const choice = name === undefined ? undefined : table?.choices.get(name);
  return choice === undefined ? ['free', 'paid'] : [choice.members[0].model.tier];
}

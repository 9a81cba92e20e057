import type { CountedAs, LimitClass } from '@model-gateway/limits';
import type { ModelTable } from '../catalog/model-table.ts';
import type { CandidateModels } from '../upstream/candidates.ts';

/** Bytes to inspect at the start of a body. No model name is longer. */
const MAX_INSPECTED_BYTES = 1_024;
const MODEL_IN_FRONT = /^[ \t\r\n]*\{[ \t\r\n]*"model"[ \t\r\n]*:[ \t\r\n]*("[^"\\]+")/;

/**
 * Returns the limits that a request counts against: those of the tiers of all its candidate models. Otherwise
 * a model that always fails would grant the limit of another tier.
 */
export function classOf([{ model: first }, ...others]: CandidateModels): CountedAs {
  return others.every(({ model }) => model.tier === first.tier) ? first.tier : 'free_and_paid';
}

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

/**
 * Reads `model` if it is the first member of a body that may still be arriving, as most clients send it. A
 * second `model` is refused later as a duplicate.
 * @returns undefined if the name cannot be read simply
 */
function readLeadingModel(arrived: readonly Buffer[]): string | undefined {
  const front = arrived[0]?.toString('utf8', 0, MAX_INSPECTED_BYTES);
  const [, model] = MODEL_IN_FRONT.exec(front ?? '') ?? [];
  return model?.slice(1, -1);
}

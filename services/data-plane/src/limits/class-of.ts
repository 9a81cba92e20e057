import type { CountedAs } from '@model-gateway/limits';
import type { CandidateModels } from '../upstream/candidates.ts';

/**
 * Returns the limits that a request counts against: those of the tiers of all its candidate models. Otherwise
 * a model that always fails would grant the limit of another tier.
 */
export function classOf([{ model: first }, ...others]: CandidateModels): CountedAs {
  return others.every(({ model }) => model.tier === first.tier) ? first.tier : 'free_and_paid';
}

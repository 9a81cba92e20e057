import type { CountedAs } from '@model-gateway/limits';
import type { CandidateModels } from '../upstream/candidates.ts';

/**
 * The limits against which a request counts: those of the tiers of all models that it may be answered by.
 * Else the name of a model that always fails would open the limit of another tier.
 */
export function classOf([{ model: first }, ...others]: CandidateModels): CountedAs {
  return others.every(({ model }) => model.tier === first.tier) ? first.tier : 'free_and_paid';
}

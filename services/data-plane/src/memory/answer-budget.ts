import { tooManyLargeAnswers } from '@model-gateway/shared/errors';
import { budgetBounds } from './budget-bounds.ts';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';

/** The longest answer that is read whole; of a longer one nobody knows an example. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/**
 * An answer is in memory once, from its first byte until its client has read it. See the part of the bodies.
 */
const PART_OF_MEMORY = 5 / 32;
/** How long a provider is held back until there is room. */
const MAX_WAIT_MS = 10_000;

/** @param memoryBytes what this process may take in all */
export function answerBudgetBounds(memoryBytes: number): MemoryBudgetBounds {
  return budgetBounds(memoryBytes, {
    part: PART_OF_MEMORY,
    largestBytes: MAX_ANSWER_BYTES,
    maxWaitMs: MAX_WAIT_MS,
  });
}

/**
 * Bounds what all answers that are read whole take together, and what each key and account may take of it.
 */
export function createAnswerBudget(bounds: MemoryBudgetBounds): MemoryBudget {
  return new MemoryBudget({ ...bounds, refusal: tooManyLargeAnswers });
}

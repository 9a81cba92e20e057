import { tooManyLargeAnswers } from '@model-gateway/shared/errors';
import { budgetBounds } from './budget-bounds.ts';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';

/** Upper bound of a response that is read whole. No known response is longer. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Share of the process's memory. A response is in memory once, until its client has read it. */
const PART_OF_MEMORY = 5 / 32;
/** How long a provider is paused until there is memory. */
const MAX_WAIT_MS = 10_000;

/** Returns the bounds for responses. @param memoryBytes upper bound of this process's memory */
export function answerBudgetBounds(memoryBytes: number): MemoryBudgetBounds {
  return budgetBounds(memoryBytes, {
    part: PART_OF_MEMORY,
    largestBytes: MAX_ANSWER_BYTES,
    maxWaitMs: MAX_WAIT_MS,
  });
}

export function createAnswerBudget(bounds: MemoryBudgetBounds): MemoryBudget {
  return new MemoryBudget({ ...bounds, refusal: tooManyLargeAnswers });
}

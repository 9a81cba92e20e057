import { tooManyLargeAnswers } from '@model-gateway/shared/errors';
import { budgetBounds } from './budget-bounds.ts';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';

/** The longest answer that is read whole. No longer answer is known. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/**
 * An answer is in memory once, from its first byte until its client has read it. Request bodies have a part
 * of their own (body-budget.ts).
 */
const PART_OF_MEMORY = 5 / 32;
/** A provider is held back so long until there is room. */
const MAX_WAIT_MS = 10_000;

/** @param memoryBytes how much memory this process may take in all */
export function answerBudgetBounds(memoryBytes: number): MemoryBudgetBounds {
  return budgetBounds(memoryBytes, {
    part: PART_OF_MEMORY,
    largestBytes: MAX_ANSWER_BYTES,
    maxWaitMs: MAX_WAIT_MS,
  });
}

/** Limits the memory of all answers that are read whole, in all and for each key and account. */
export function createAnswerBudget(bounds: MemoryBudgetBounds): MemoryBudget {
  return new MemoryBudget({ ...bounds, refusal: tooManyLargeAnswers });
}

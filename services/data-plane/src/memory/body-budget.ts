import { tooManyLargeBodies } from '@model-gateway/shared/errors';
import { budgetBounds } from './budget-bounds.ts';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';

/**
 * A body is in memory once, in the pieces in which it arrived, until its answer has ended. The other parts
 * are needed by the rest of this process, by the answers, and by the one large body that is being read.
 */
const PART_OF_MEMORY = 1 / 8;
const FORM_FIELDS_BYTES = 1024 * 1024;
const MAX_WAIT_MS = 5_000;

/**
 * @param memoryBytes how much memory this process may take in all
 * @param largestBodyBytes a key can always send one body of this size
 */
export function bodyBudgetBounds(memoryBytes: number, largestBodyBytes: number): MemoryBudgetBounds {
  return budgetBounds(memoryBytes, {
    part: PART_OF_MEMORY,
    largestBytes: largestBodyBytes + FORM_FIELDS_BYTES,
    maxWaitMs: MAX_WAIT_MS,
  });
}

/** Limits the memory of all request bodies of this process, in all and for each key and account. */
export function createBodyBudget(bounds: MemoryBudgetBounds): MemoryBudget {
  return new MemoryBudget({ ...bounds, refusal: tooManyLargeBodies });
}

import { tooManyLargeBodies } from '@model-gateway/shared/errors';
import { budgetBounds } from './budget-bounds.ts';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';

/**
 * Share of the process's memory. A body is in memory once, until its response has ended; the rest serves
 * responses, the body being parsed, and the process itself.
 */
const PART_OF_MEMORY = 1 / 8;
const FORM_FIELDS_BYTES = 1024 * 1024;
const MAX_WAIT_MS = 5_000;

/**
 * Returns the bounds for request bodies.
 * @param memoryBytes upper bound of this process's memory
 * @param largestBodyBytes a key can always send one body of this size
 */
export function bodyBudgetBounds(memoryBytes: number, largestBodyBytes: number): MemoryBudgetBounds {
  return budgetBounds(memoryBytes, {
    part: PART_OF_MEMORY,
    largestBytes: largestBodyBytes + FORM_FIELDS_BYTES,
    maxWaitMs: MAX_WAIT_MS,
  });
}

export function createBodyBudget(bounds: MemoryBudgetBounds): MemoryBudget {
  return new MemoryBudget({ ...bounds, refusal: tooManyLargeBodies });
}

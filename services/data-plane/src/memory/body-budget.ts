import { tooManyLargeBodies } from '@model-gateway/shared/errors';
import { budgetBounds } from './budget-bounds.ts';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';

/**
 * A body is in memory once, in the pieces in which it came, until its answer has ended. The rest of this
 * process, the answers and the one large body that is being understood need the other parts.
 */
const PART_OF_MEMORY = 1 / 8;
/** Of a form, besides its file. */
const FORM_FIELDS_BYTES = 1024 * 1024;
const MAX_WAIT_MS = 5_000;

/**
 * @param memoryBytes what this process may take in all
 * @param largestBodyBytes a key can always send one of these
 */
export function bodyBudgetBounds(memoryBytes: number, largestBodyBytes: number): MemoryBudgetBounds {
  return budgetBounds(memoryBytes, {
    part: PART_OF_MEMORY,
    largestBytes: largestBodyBytes + FORM_FIELDS_BYTES,
    maxWaitMs: MAX_WAIT_MS,
  });
}

/**
 * Bounds what all request bodies of this process take together, and what each key and account may take of it.
 */
export function createBodyBudget(bounds: MemoryBudgetBounds): MemoryBudget {
  return new MemoryBudget({ ...bounds, refusal: tooManyLargeBodies });
}

import type { MemoryBudgetBounds } from './memory-budget.ts';

/** Claims up to this size, nearly all, have a reserve of their own. */
export const SMALL_BYTES = 64 * 1024;
const RESERVE_PART = 1 / 32;
const KEY_PART = 1 / 4;
const ACCOUNT_PART = 1 / 2;
const MAX_WAITING_OF_KEY = 1_000;

export interface PartOfMemory {
  /** Share of the process's memory for all claims together. */
  part: number;
  /** A key can always claim this much once. */
  largestBytes: number;
  maxWaitMs: number;
}

/** Derives all bounds from one share. @param memoryBytes upper bound of this process's memory */
export function budgetBounds(
  memoryBytes: number,
  { part, largestBytes, maxWaitMs }: PartOfMemory,
): MemoryBudgetBounds {
  const totalBytes = Math.max(largestBytes, Math.floor(memoryBytes * part));
  return {
    totalBytes,
    keyBytes: Math.max(largestBytes, Math.floor(totalBytes * KEY_PART)),
    accountBytes: Math.max(largestBytes, Math.floor(totalBytes * ACCOUNT_PART)),
    reserveBytes: Math.floor(memoryBytes * RESERVE_PART),
    smallBytes: SMALL_BYTES,
    maxWaitMs,
    maxWaitingOfKey: MAX_WAITING_OF_KEY,
  };
}

import { GatewayError } from '@model-gateway/shared';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';

/**
 * A body is in memory once, in the pieces in which it came, until its answer has ended. The rest of this process, the
 * answers and the one large body that is being understood need the other parts.
 */
const PART_OF_MEMORY = 1 / 8;
const RESERVE_PART = 1 / 32;
const KEY_PART = 1 / 4;
const ACCOUNT_PART = 1 / 2;
/** Bodies up to this size have a reserve of their own. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** Of a form, besides its file. */
const FORM_FIELDS_BYTES = 1024 * 1024;

const MAX_WAIT_MS = 5_000;
const MAX_WAITING_OF_KEY = 1_000;

/**
 * @param memoryBytes what this process may take in all
 * @param largestBodyBytes a key can always send one of these
 */
export function bodyBudgetBounds(memoryBytes: number, largestBodyBytes: number): MemoryBudgetBounds {
  const one = largestBodyBytes + FORM_FIELDS_BYTES;
  const totalBytes = Math.max(one, Math.floor(memoryBytes * PART_OF_MEMORY));
  return {
    totalBytes,
    keyBytes: Math.max(one, Math.floor(totalBytes * KEY_PART)),
    accountBytes: Math.max(one, Math.floor(totalBytes * ACCOUNT_PART)),
    reserveBytes: Math.floor(memoryBytes * RESERVE_PART),
    smallBytes: SMALL_BODY_BYTES,
    maxWaitMs: MAX_WAIT_MS,
    maxWaitingOfKey: MAX_WAITING_OF_KEY,
  };
}

/** Bounds what all request bodies of this process take together, and what each key and account may take of it. */
export function createBodyBudget(bounds: MemoryBudgetBounds): MemoryBudget {
  return new MemoryBudget({
    ...bounds,
    refusal: () =>
      new GatewayError(
        'overloaded',
        'Too many large requests of this API key, or of all together, are on their way. Retry in a second.',
      ),
  });
}

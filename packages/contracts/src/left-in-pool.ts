import type { Pool__Output } from './generated/gateway/v1/Pool.ts';

/**
 * Returns the unused part of the money that a pool includes. Money that is set aside for requests belongs to
 * it: most of it comes back, so nobody must be told that it is spent.
 * @returns nano-USD
 */
export function leftInPool({ remaining, held }: Pick<Pool__Output, 'remaining' | 'held'>): bigint {
  return BigInt(remaining) + BigInt(held);
}

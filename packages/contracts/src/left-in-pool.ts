import type { Pool__Output } from './generated/gateway/v1/Pool.ts';

/**
 * What has not been used of what a pool includes. What is set aside for requests is a part of it: most of
 * that comes back, so it is never to be told as spent.
 * @returns nano-USD
 */
export function leftInPool({ remaining, held }: Pick<Pool__Output, 'remaining' | 'held'>): bigint {
  return BigInt(remaining) + BigInt(held);
}

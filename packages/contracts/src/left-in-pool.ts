import type { Pool__Output } from './generated/gateway/v1/Pool.ts';

/**
 * Returns unused money of a pool, including held money, most of which comes back.
 * @returns nano-USD; null: unlimited
 */
export function leftInPool({
  remaining,
  held,
  unlimited,
}: Pick<Pool__Output, 'remaining' | 'held' | 'unlimited'>): bigint | null {
  return unlimited ? null : BigInt(remaining) + BigInt(held);
}

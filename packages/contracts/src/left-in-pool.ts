import type { Pool__Output } from './generated/gateway/v1/Pool.ts';

/** Returns unused money of a pool, including held money, most of which comes back. @returns nano-USD */
export function leftInPool({ remaining, held }: Pick<Pool__Output, 'remaining' | 'held'>): bigint {
  return BigInt(remaining) + BigInt(held);
}

import { leftInPool, type PoolMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { isoFromSeconds, isoTimestamp } from './timestamp.ts';
import { shortenUsd, usd } from './usd.ts';

export type PoolJson = ReturnType<typeof poolJson>;

/** `left_usd` is `included_usd` minus `used_usd`, and consists of `held_usd` and `remaining_usd`. */
export function poolJson(pool: PoolMessage) {
  return {
    id: pool.id,
    name: pool.name,
    scope: pool.scope,
    owner_id: pool.ownerId,
    included_usd: usd(pool.included),
    used_usd: usd(pool.charged),
    left_usd: usd(String(leftInPool(pool))),
    held_usd: usd(pool.held),
    remaining_usd: usd(pool.remaining),
    resets_at: pool.resetsAt === undefined ? null : isoFromSeconds(pool.resetsAt),
    created_at: isoTimestamp(pool.createdAtMs),
  };
}

/**
 * Returns a table of pools, in dollars and in the order in which the pools are used. If money is reserved, a
 * line below the table explains that it is not spent.
 * @param nameOf the names of the owners
 */
export function poolTable(pools: readonly PoolJson[], nameOf: (id: string) => string): string {
  const table = formatTable(
    ['POOL', 'NAME', 'OF', 'INCLUDED', 'USED', 'LEFT', 'RESERVED', 'RESETS'],
    pools.map((pool) => [
      pool.id,
      pool.name,
      nameOf(pool.owner_id),
      shortenUsd(pool.included_usd),
      shortenUsd(pool.used_usd),
      shortenUsd(pool.left_usd),
      shortenUsd(pool.held_usd),
      pool.resets_at ?? 'never',
    ]),
  );
  return pools.some(({ held_usd }) => Number(held_usd) > 0) ? `${table}${ABOUT_RESERVED}\n` : table;
}

const ABOUT_RESERVED = 'RESERVED is the part of LEFT that running requests may still use; it is not spent.';

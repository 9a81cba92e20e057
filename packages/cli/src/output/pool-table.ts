import { leftInPool, type PoolMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { isoFromSeconds, isoTimestamp } from './timestamp.ts';
import { shortenUsd, usd } from './usd.ts';

export type PoolJson = ReturnType<typeof poolJson>;

/**
 * `left_usd` is `included_usd` minus `used_usd`, and consists of `held_usd` and `remaining_usd`. An unlimited
 * pool has null for `included_usd`, `left_usd` and `remaining_usd`.
 */
export function poolJson(pool: PoolMessage) {
  const left = leftInPool(pool);
  return {
    id: pool.id,
    name: pool.name,
    scope: pool.scope,
    owner_id: pool.ownerId,
    unlimited: pool.unlimited,
    included_usd: left === null ? null : usd(pool.included),
    used_usd: usd(pool.charged),
    left_usd: left === null ? null : usd(String(left)),
    held_usd: usd(pool.held),
    remaining_usd: left === null ? null : usd(pool.remaining),
    resets_at: pool.resetsAt === undefined ? null : isoFromSeconds(pool.resetsAt),
    expires_at: pool.expiresAt === undefined ? null : isoFromSeconds(pool.expiresAt),
    created_at: isoTimestamp(pool.createdAtMs),
  };
}

/**
 * Returns a table of pools, in dollars and in the order in which the pools are used. If money is reserved, a
 * line below the table explains that it is not spent. The column EXPIRES is there if a pool expires.
 * @param nameOf the names of the owners
 */
export function poolTable(pools: readonly PoolJson[], nameOf: (id: string) => string): string {
  const expires = pools.some(({ expires_at }) => expires_at !== null);
  const table = formatTable(
    [
      ...['POOL', 'NAME', 'OF', 'INCLUDED', 'USED', 'LEFT', 'RESERVED', 'RESETS'],
      ...(expires ? ['EXPIRES'] : []),
    ],
    pools.map((pool) => [
      pool.id,
      pool.name,
      nameOf(pool.owner_id),
      limitedUsd(pool.included_usd),
      shortenUsd(pool.used_usd),
      limitedUsd(pool.left_usd),
      shortenUsd(pool.held_usd),
      pool.resets_at ?? 'never',
      ...(expires ? [pool.expires_at ?? 'never'] : []),
    ]),
  );
  return pools.some(({ held_usd }) => Number(held_usd) > 0) ? `${table}${ABOUT_RESERVED}\n` : table;
}

/** @param usd null: unlimited */
function limitedUsd(usd: string | null): string {
  return usd === null ? 'unlimited' : shortenUsd(usd);
}

const ABOUT_RESERVED = 'RESERVED is the part of LEFT that running requests may still use; it is not spent.';

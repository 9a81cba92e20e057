import { leftInPool, type PoolMessage } from '@model-gateway/contracts';
import { formatTable } from './table.ts';
import { isoTimestamp } from './timestamp.ts';
import { shortUsd, usd } from './usd.ts';

export interface PoolJson {
  id: string;
  name: string;
  /** `account`, `team` or `seat` */
  scope: string;
  owner_id: string;
  included_usd: string;
  used_usd: string;
  /** The included amount minus the used one. */
  left_usd: string;
  /** The part of it that is set aside for requests at this moment. */
  held_usd: string;
  /** The other part: left minus held. */
  remaining_usd: string;
  /** When the pool is full again; null: never. */
  resets_at: string | null;
  created_at: string;
}

export function poolJson(pool: PoolMessage): PoolJson {
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
    resets_at: pool.resetsAt === undefined ? null : isoTimestamp(`${pool.resetsAt}000`),
    created_at: isoTimestamp(pool.createdAtMs),
  };
}

/**
 * Returns a table of pools, in dollars and in the order in which the pools are used. Reserved money is not
 * used money: where some is reserved, a line below the table explains it.
 */
export function poolTable(pools: readonly PoolJson[]): string {
  const table = formatTable(
    ['POOL', 'NAME', 'OF', 'INCLUDED', 'USED', 'LEFT', 'RESERVED', 'RESETS'],
    pools.map((pool) => [
      pool.id,
      pool.name,
      pool.owner_id,
      shortUsd(pool.included_usd),
      shortUsd(pool.used_usd),
      shortUsd(pool.left_usd),
      shortUsd(pool.held_usd),
      pool.resets_at ?? 'never',
    ]),
  );
  return pools.some(({ held_usd }) => Number(held_usd) > 0) ? `${table}${ABOUT_RESERVED}\n` : table;
}

const ABOUT_RESERVED =
  'RESERVED is the part of LEFT that is set aside for requests at this moment; it is not spent.';

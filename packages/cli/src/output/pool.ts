import type { PoolMessage } from '@model-gateway/contracts';
import { formatTable } from './table.ts';
import { isoTimestamp } from './timestamp.ts';
import { shortUsd, usd } from './usd.ts';

export interface PoolJson {
  id: string;
  name: string;
  /** account, team or seat */
  scope: string;
  owner_id: string;
  included_usd: string;
  used_usd: string;
  /** Set aside for requests that run. */
  held_usd: string;
  remaining_usd: string;
  /** When it is full again; null: never. */
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
    held_usd: usd(pool.held),
    remaining_usd: usd(pool.remaining),
    resets_at: pool.resetsAt === undefined ? null : isoTimestamp(`${pool.resetsAt}000`),
    created_at: isoTimestamp(pool.createdAtMs),
  };
}

/** Amounts in dollars, in the order in which the pools are drawn on. */
export function poolTable(pools: readonly PoolJson[]): string {
  return formatTable(
    ['POOL', 'NAME', 'OF', 'INCLUDED', 'USED', 'HELD', 'REMAINING', 'RESETS'],
    pools.map((pool) => [
      pool.id,
      pool.name,
      pool.owner_id,
      shortUsd(pool.included_usd),
      shortUsd(pool.used_usd),
      shortUsd(pool.held_usd),
      shortUsd(pool.remaining_usd),
      pool.resets_at ?? 'never',
    ]),
  );
}

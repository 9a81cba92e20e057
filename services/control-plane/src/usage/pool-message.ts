import type { PoolRow } from './usage-store.ts';

export function poolMessage(pool: PoolRow) {
  return {
    id: pool.id,
    name: pool.name,
    scope: pool.scope,
    ownerId: pool.ownerId,
    included: String(pool.included),
    remaining: String(pool.remaining),
    held: String(pool.held),
    charged: String(pool.charged),
    ...(pool.resetsAt === null ? {} : { resetsAt: Math.floor(pool.resetsAt.getTime() / 1_000) }),
    createdAtMs: pool.createdAt.getTime(),
  };
}

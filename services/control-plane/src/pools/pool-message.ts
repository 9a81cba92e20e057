import { omitAbsent } from '../omit-absent.ts';
import type { RemovedPool } from './pool-change-store.ts';
import type { StoredPool } from './pool-store.ts';

export function poolMessage(pool: StoredPool) {
  return {
    id: pool.id,
    name: pool.name,
    scope: pool.owner.kind,
    ownerId: pool.owner.id,
    included: String(pool.included),
    remaining: String(pool.remaining),
    held: String(pool.held),
    charged: String(pool.charged),
    unlimited: pool.unlimited,
    createdAtMs: pool.createdAt.getTime(),
    ...omitAbsent({
      resetsAt: pool.resetsAt && Math.floor(pool.resetsAt.getTime() / 1_000),
      expiresAt: pool.expiresAt && Math.floor(pool.expiresAt.getTime() / 1_000),
      removedAtMs: pool.removedAt?.getTime(),
    }),
  };
}

export function removedPoolMessage({ poolId, taken, held }: RemovedPool) {
  return { poolId, taken: String(taken), held: String(held) };
}

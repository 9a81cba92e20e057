import type { Logger } from '@model-gateway/service-kit';
import { formatUsd } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import type { ReturnsWait } from '../billing/returns-wait.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { PoolChangeStore } from './pool-change-store.ts';
import type { PoolStore, StoredPool } from './pool-store.ts';
import { RETURNS_MS } from './retry-after-returns.ts';

export interface RemovePoolsContext {
  poolChangeStore: Pick<PoolChangeStore, 'remove'>;
  returnsWait: Pick<ReturnsWait, 'forReplies'>;
  log: Logger;
}

export interface RemovedPool {
  poolId: string;
  /** Nano-USD left in the pool and taken out. */
  taken: bigint;
}

/**
 * Removes a pool. Takes out unused money with a ledger entry; money held for running requests is taken out
 * when it returns.
 * @throws ControlPlaneError not_found
 */
export async function removePool(
  context: RemovePoolsContext & { poolStore: Pick<PoolStore, 'find'> },
  actor: Actor,
  { poolId }: { poolId: string },
): Promise<{ pool: StoredPool; taken: bigint }> {
  if ((await context.poolStore.find(poolId)) === null) throw notFound(`there is no pool ${poolId}`);
  const [removed] = await removePools(context, actor, { poolIds: [poolId] });
  const pool = await context.poolStore.find(poolId);
  if (pool === null || removed === undefined) throw new Error('a pool that was removed is missing');
  return { pool, taken: removed.taken };
}

/**
 * Removes pools. Waits briefly for unused money that data planes hold, so that the result is accurate; later
 * returns are taken out too.
 */
export async function removePools(
  { log, poolChangeStore, returnsWait }: RemovePoolsContext,
  _actor: Actor,
  { poolIds }: { poolIds: readonly string[] },
): Promise<RemovedPool[]> {
  const removed: RemovedPool[] = [];
  const recalls = [];
  for (const poolId of poolIds) {
    const outcome = await poolChangeStore.remove(poolId);
    log.info({ pool_id: poolId, taken_usd: formatUsd(outcome.taken) }, 'pool removed');
    removed.push({ poolId, taken: outcome.taken });
    recalls.push(...outcome.recalls);
  }
  if (recalls.length > 0) await returnsWait.forReplies(recalls, RETURNS_MS);
  return removed;
}

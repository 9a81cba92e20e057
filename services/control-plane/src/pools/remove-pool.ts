import type { Logger } from '@model-gateway/service-kit';
import { formatUsd } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import type { ReturnsWait } from '../billing/returns-wait.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { PoolChangeStore, RemovedPool } from './pool-change-store.ts';
import type { PoolStore, StoredPool } from './pool-store.ts';
import { RETURNS_MS } from './retry-after-returns.ts';

export interface RemovePoolsContext {
  poolChangeStore: Pick<PoolChangeStore, 'remove' | 'removed'>;
  returnsWait: Pick<ReturnsWait, 'forReplies'>;
  log: Logger;
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
 * Removes pools. Waits briefly for unused money that data planes hold, and counts it; later returns are taken
 * out too. A repeated call counts all that was taken out.
 */
export async function removePools(
  { log, poolChangeStore, returnsWait }: RemovePoolsContext,
  actor: Actor,
  { poolIds }: { poolIds: readonly string[] },
): Promise<RemovedPool[]> {
  const recalls = [];
  for (const poolId of poolIds) recalls.push(...(await poolChangeStore.remove(actor, poolId)));
  if (recalls.length > 0) await returnsWait.forReplies(recalls, RETURNS_MS);
  const removed = await poolChangeStore.removed(poolIds);
  for (const { poolId, taken, held } of removed) {
    log.info({ pool_id: poolId, taken_usd: formatUsd(taken), held_usd: formatUsd(held) }, 'pool removed');
  }
  return removed;
}

import type { Logger } from '@model-gateway/service-kit';
import { formatUsd, shortUsd } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import type { ReturnsWait } from '../billing/returns-wait.ts';
import { type ControlPlaneError, failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import { type IncludedAmount, parseIncluded } from './included-usd.ts';
import type { ChangeOutcome, PoolChangeStore } from './pool-change-store.ts';
import { checkPoolName, generatedPoolName } from './pool-name.ts';
import type { PoolStore, StoredPool } from './pool-store.ts';
import { retryAfterReturns } from './retry-after-returns.ts';

export interface ChangePoolContext {
  poolStore: Pick<PoolStore, 'find'>;
  poolChangeStore: Pick<PoolChangeStore, 'change'>;
  returnsWait: Pick<ReturnsWait, 'forReplies'>;
  log: Logger;
}

/**
 * Changes what a pool includes, or makes it unlimited, now and at every reset, with a ledger entry. Refuses
 * less than is used or held, after recalling unused money.
 * @param request.name undefined: keeps a name that was given, and generates the others from the amount
 * @throws ControlPlaneError not_found, invalid_argument, failed_precondition (too much used or held, or pool
 *   removed)
 */
export async function changePool(
  context: ChangePoolContext,
  actor: Actor,
  { poolId, name, ...amount }: IncludedAmount & { poolId: string; name?: string | undefined },
): Promise<StoredPool> {
  const included = parseIncluded(amount);
  const given = name === undefined ? undefined : checkPoolName(name);
  const before = await context.poolStore.find(poolId);
  if (before === null) throw notFound(`there is no pool ${poolId}`);
  if (before.removedAt !== null) throw removed(poolId);
  await changeAmount(context, actor, before, {
    included,
    name: given ?? generatedPoolName(before, amount.includedUsd),
  });
  const usd = {
    included_usd: included === null ? null : formatUsd(included),
    included_usd_before: before.unlimited ? null : formatUsd(before.included),
  };
  context.log.info({ pool_id: poolId, ...usd }, 'pool changed');
  const pool = await context.poolStore.find(poolId);
  if (pool === null) throw new Error('a pool that was changed is missing');
  return pool;
}

async function changeAmount(
  { poolChangeStore, poolStore, returnsWait }: ChangePoolContext,
  actor: Actor,
  { id }: StoredPool,
  to: { included: bigint | null; name: string | undefined },
): Promise<void> {
  const outcome = await retryAfterReturns(returnsWait, () => poolChangeStore.change(actor, id, to));
  if (outcome.changed) return;
  const pool = await poolStore.find(id);
  throw pool?.removedAt ? removed(id) : tooLittle(outcome, pool?.resetsAt ?? null);
}

function removed(poolId: string): ControlPlaneError {
  return failedPrecondition(`the pool ${poolId} is removed`);
}

function tooLittle({ charged, held }: ChangeOutcome, resetsAt: Date | null): ControlPlaneError {
  const used = `${shortUsd(charged)} US dollars of the pool are used`;
  const inUse = held === 0n ? '' : ` and ${shortUsd(held)} set aside for requests that are running`;
  const until = resetsAt === null ? '' : ` before it is full again on ${resetsAt.toISOString()}`;
  return failedPrecondition(
    `${used}${inUse}: it cannot include less than that${until}; to take what is left away, remove the pool`,
  );
}

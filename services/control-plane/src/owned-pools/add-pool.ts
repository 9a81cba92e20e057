import type { PoolOwnerMessage } from '@model-gateway/contracts';
import { newId } from '@model-gateway/shared';
import { LATEST_MS } from '@model-gateway/shared/rules';
import type { Actor } from '../actors/actor.ts';
import { failedPrecondition, invalidArgument } from '../errors/control-plane-error.ts';
import { type IncludedAmount, parseIncluded } from '../pools/included-usd.ts';
import { checkPoolName, poolName } from '../pools/pool-name.ts';
import type { PoolStore, StoredPool } from '../pools/pool-store.ts';
import { findPoolOwner, type PoolOwnerContext } from './pool-owner.ts';

export interface AddPoolContext extends PoolOwnerContext {
  poolStore: Pick<PoolStore, 'add'>;
}

/**
 * Creates a pool for an account, team or seat.
 * @param request.name empty: generated
 * @param request.expiresAtMs Unix milliseconds; undefined: never
 * @throws ControlPlaneError invalid_argument, not_found, failed_precondition (owner removed or deleted)
 */
export async function addPool(
  context: AddPoolContext,
  actor: Actor,
  request: IncludedAmount & {
    owner: PoolOwnerMessage | null;
    name: string;
    resets: string;
    expiresAtMs?: string | undefined;
  },
): Promise<StoredPool> {
  const { resets } = request;
  if (resets !== 'monthly' && resets !== 'never') throw invalidArgument('a pool resets monthly or never');
  const included = parseIncluded(request);
  const expiresAt = request.expiresAtMs === undefined ? undefined : new Date(Number(request.expiresAtMs));
  const atMs = expiresAt?.getTime();
  if (atMs !== undefined && !(atMs > Date.now() && atMs <= LATEST_MS)) {
    throw invalidArgument('a pool expires in the future');
  }
  const name = checkPoolName(request.name.trim() || poolName(request.includedUsd, resets));
  const { removed, ...owner } = await findPoolOwner(context, request.owner);
  if (removed) {
    const gone = owner.kind === 'seat' ? 'removed' : 'deleted';
    throw failedPrecondition(`the ${owner.kind} ${owner.id} is ${gone}: nobody can spend it`);
  }
  return await context.poolStore.add(actor, {
    id: newId('pool'),
    name,
    owner,
    included,
    resets,
    expiresAt,
  });
}

import type { PoolOwnerMessage } from '@model-gateway/contracts';
import type { PoolStore, StoredPool } from '../pools/pool-store.ts';
import { findPoolOwner, type PoolOwnerContext } from './pool-owner.ts';

export interface ListPoolsContext extends PoolOwnerContext {
  poolStore: Pick<PoolStore, 'ofPayer'>;
}

/**
 * Returns an account's, team's or seat's own pools in charging order.
 * @throws ControlPlaneError invalid_argument, not_found
 */
export async function listPools(
  context: ListPoolsContext,
  owner: PoolOwnerMessage | null,
): Promise<StoredPool[]> {
  return await context.poolStore.ofPayer([await findPoolOwner(context, owner)]);
}

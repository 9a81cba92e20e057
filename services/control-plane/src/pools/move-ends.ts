import type { PoolOwnerMessage } from '@model-gateway/contracts';
import type { AccountStore } from '../accounts/account-store.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import {
  type OwnedSeatContext,
  type OwnedTeamContext,
  requireOwnedSeat,
  requireOwnedTeam,
} from '../teams/ownership.ts';
import type { PoolOwner, PoolStore, StoredPool } from './pool-store.ts';

export interface MoveEndsContext extends OwnedTeamContext, OwnedSeatContext {
  accountStore: Pick<AccountStore, 'require'>;
  poolStore: Pick<PoolStore, 'find'>;
  seatStore: OwnedTeamContext['seatStore'] & OwnedSeatContext['seatStore'];
}

/**
 * Finds a pool from which the account may take money: its own pool, a pool of a team that it owns, or a pool
 * of a seat there, removed seats included.
 * @throws ControlPlaneError not_found, permission_denied (a pool that the account may only spend from, as a
 *   member)
 */
export async function requireMovablePool(
  context: MoveEndsContext,
  accountId: string,
  poolId: string,
): Promise<StoredPool> {
  const pool = await context.poolStore.find(poolId);
  const missing = new ControlPlaneError('not_found', `there is no pool ${poolId}`);
  if (pool === null || pool.removedAt !== null) throw missing;
  if (pool.scope === 'account' && pool.ownerId !== accountId) throw missing;
  try {
    if (pool.scope === 'team') await requireOwnedTeam(context, accountId, pool.ownerId);
    if (pool.scope === 'seat') await requireOwnedSeat(context, accountId, pool.ownerId);
    return pool;
  } catch (error) {
    // The words are the same as for a pool that does not exist.
    throw error instanceof ControlPlaneError && error.code === 'not_found' ? missing : error;
  }
}

/**
 * Finds the receiver to whom the account may give money: itself, a team that it owns, or an active seat
 * there.
 * @throws ControlPlaneError invalid_argument (not exactly one receiver), not_found, permission_denied (as a
 *   member), failed_precondition (a removed seat)
 */
export async function requireMoveTarget(
  context: MoveEndsContext,
  accountId: string,
  message: PoolOwnerMessage | null,
): Promise<PoolOwner> {
  const { account, teamId, seatId } = message ?? {};
  if ([account, teamId, seatId].filter((given) => given !== undefined).length !== 1) {
    throw new ControlPlaneError('invalid_argument', 'money goes to the account, a team or a seat: name one');
  }
  if (teamId !== undefined) {
    return { scope: 'team', id: (await requireOwnedTeam(context, accountId, teamId)).id };
  }
  if (seatId !== undefined) {
    const { id, removedAt } = await requireOwnedSeat(context, accountId, seatId);
    if (removedAt === null) return { scope: 'seat', id };
    throw new ControlPlaneError('failed_precondition', `the seat ${id} is removed: nobody can spend it`);
  }
  const own = await context.accountStore.require(accountId);
  if (account === own.id || account?.trim().toLowerCase() === own.email) {
    return { scope: 'account', id: own.id };
  }
  throw new ControlPlaneError('not_found', `there is no account ${account}`);
}

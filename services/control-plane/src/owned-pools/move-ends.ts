import type { PoolOwnerMessage } from '@model-gateway/contracts';
import type { LevelKind } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import { ControlPlaneError, failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import type { PoolOwner, PoolStore, StoredPool } from '../pools/pool-store.ts';
import {
  type OwnedSeatContext,
  type OwnedTeamContext,
  requireOwnedSeat,
  requireOwnedTeam,
} from '../teams/ownership.ts';
import { parsePoolOwner } from './pool-owner.ts';

export interface MoveEndsContext extends OwnedTeamContext, OwnedSeatContext {
  accountStore: Pick<AccountStore, 'require'>;
  poolStore: Pick<PoolStore, 'find'>;
  seatStore: OwnedTeamContext['seatStore'] & OwnedSeatContext['seatStore'];
}

/**
 * Finds a pool the account may take money from: its own, or one of a team it owns or of that team's seats,
 * removed seats included.
 * @throws ControlPlaneError not_found, permission_denied (member)
 */
export async function requireMovablePool(
  context: MoveEndsContext,
  accountId: string,
  poolId: string,
): Promise<StoredPool> {
  const pool = await context.poolStore.find(poolId);
  const missing = notFound(`there is no pool ${poolId}`);
  if (pool === null || pool.removedAt !== null) throw missing;
  const { owner } = pool;
  if (owner.kind === 'account' && owner.id !== accountId) throw missing;
  try {
    if (owner.kind === 'team') await requireOwnedTeam(context, accountId, owner.id);
    if (owner.kind === 'seat') await requireOwnedSeat(context, accountId, owner.id);
    return pool;
  } catch (error) {
    // Same message as for a missing pool.
    throw error instanceof ControlPlaneError && error.code === 'not_found' ? missing : error;
  }
}

/**
 * Finds the receiver: the account, a team it owns, or an active seat there.
 * @throws ControlPlaneError invalid_argument (kind), not_found, permission_denied (member),
 *   failed_precondition (removed seat)
 */
export async function requireMoveTarget(
  context: MoveEndsContext,
  accountId: string,
  message: PoolOwnerMessage | null,
): Promise<PoolOwner> {
  const find: Record<LevelKind, (id: string) => Promise<PoolOwner>> = {
    async account(idOrEmail) {
      const own = await context.accountStore.require(accountId);
      if (idOrEmail === own.id || idOrEmail.trim().toLowerCase() === own.email) {
        return { kind: 'account', id: own.id };
      }
      throw notFound(`there is no account ${idOrEmail}`);
    },
    async team(teamId) {
      return { kind: 'team', id: (await requireOwnedTeam(context, accountId, teamId)).id };
    },
    async seat(seatId) {
      const { id, removedAt } = await requireOwnedSeat(context, accountId, seatId);
      if (removedAt === null) return { kind: 'seat', id };
      throw failedPrecondition(`the seat ${id} is removed: nobody can spend it`);
    },
  };
  const { kind, id } = parsePoolOwner(message, 'money goes to the account, a team or a seat: name one');
  return await find[kind](id);
}

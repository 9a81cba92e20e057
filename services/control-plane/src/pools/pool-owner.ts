import type { PoolOwnerMessage } from '@model-gateway/contracts';
import type { AccountStore } from '../accounts/account-store.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { TeamStore } from '../teams/team-store.ts';
import type { PoolOwner } from './pool-store.ts';

export interface PoolOwnerContext {
  accountStore: Pick<AccountStore, 'require'>;
  teamStore: Pick<TeamStore, 'requireEver'>;
  seatStore: Pick<SeatStore, 'find'>;
}

/** @throws ControlPlaneError invalid_argument (not exactly one owner), not_found */
export async function findPoolOwner(
  { accountStore, teamStore, seatStore }: PoolOwnerContext,
  message: PoolOwnerMessage | null,
): Promise<PoolOwner & { removed: boolean }> {
  const { account, teamId, seatId } = message ?? {};
  if ([account, teamId, seatId].filter((given) => given !== undefined).length !== 1) {
    throw new ControlPlaneError(
      'invalid_argument',
      'a pool belongs to an account, a team or a seat: name one',
    );
  }
  if (account !== undefined) {
    const { id, deletedAt } = await accountStore.require(account);
    return { scope: 'account', id, removed: deletedAt !== null };
  }
  if (teamId !== undefined) {
    const { id, deletedAt } = await teamStore.requireEver(teamId);
    return { scope: 'team', id, removed: deletedAt !== null };
  }
  const seat = await seatStore.find(seatId ?? '');
  if (seat === null) throw new ControlPlaneError('not_found', `there is no seat ${seatId}`);
  return { scope: 'seat', id: seat.id, removed: seat.removedAt !== null };
}

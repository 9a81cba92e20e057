import { newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Actor } from '../actors/actor.ts';
import type { SeatStore, StoredSeat } from './seat-store.ts';
import type { TeamStore } from './team-store.ts';

export interface AddSeatContext {
  accountStore: AccountStore;
  teamStore: TeamStore;
  seatStore: SeatStore;
}

/**
 * Gives an account a seat in a team. An account that had a seat and lost it gets a new one, without its old
 * keys.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found (team, account), already_exists (the account has an active seat there),
 *   failed_precondition (the account is deleted)
 */
export async function addSeat(
  context: AddSeatContext,
  _actor: Actor,
  request: { teamId: string; account: string },
): Promise<StoredSeat> {
  const team = await context.teamStore.require(request.teamId);
  const account = await context.accountStore.requireNotDeleted(request.account);
  return await context.seatStore.create({ id: newId('seat'), teamId: team.id, accountId: account.id });
}

import { newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Actor } from '../actors/actor.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';
import type { SeatStore } from './seat-store.ts';
import type { TeamStore } from './team-store.ts';

/**
 * Gives an account a seat. A former member gets a new seat, without its old keys.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found (team, account), already_exists (active seat, external id),
 *   failed_precondition (deleted account)
 */
export async function addSeat(
  context: { accountStore: AccountStore; teamStore: TeamStore; seatStore: SeatStore },
  actor: Actor,
  request: { teamId: string; account: string; externalId?: string | undefined },
): Promise<StoredSeat> {
  const team = await context.teamStore.requireNotDeleted(request.teamId);
  const account = await context.accountStore.requireNotDeleted(request.account);
  const { externalId = null } = request;
  const seat = { id: newId('seat'), teamId: team.id, accountId: account.id, externalId };
  return await context.seatStore.create(actor, seat);
}

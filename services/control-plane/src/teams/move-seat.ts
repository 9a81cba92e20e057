import type { Logger } from '@model-gateway/service-kit';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Actor } from '../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { RemovedSeat } from './remove-seat.ts';
import type { SeatStore } from './seat-store.ts';

export interface MoveSeatContext extends RevocationContext {
  accountStore: Pick<AccountStore, 'requireNotDeleted'>;
  seatStore: Pick<SeatStore, 'find' | 'move'>;
  log: Logger;
}

/**
 * Gives a seat with its pools to another account, and returns when no data plane accepts its earlier keys.
 * Earlier usage stays with the earlier account.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found, already_exists (active seat), failed_precondition (removed seat,
 *   deleted account)
 */
export async function moveSeat(
  context: MoveSeatContext,
  actor: Actor,
  request: { seatId: string; account: string },
): Promise<RemovedSeat> {
  const { seatId } = request;
  const missing = () => notFound(`there is no seat ${seatId}`);
  const before = await context.seatStore.find(seatId);
  if (before === null) throw missing();
  const account = await context.accountStore.requireNotDeleted(request.account);
  const { keyIds, revision } = await context.seatStore.move(actor, seatId, account.id);
  const from = { account_id: account.id, account_id_before: before.accountId };
  context.log.info({ seat_id: seatId, ...from, revoked_key_ids: keyIds }, 'seat moved');
  const unconfirmed = await waitForRevocation(context, revision);
  const seat = await context.seatStore.find(seatId);
  if (seat === null) throw missing();
  return { seat, revokedKeys: keyIds, unconfirmed };
}

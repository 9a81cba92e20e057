import type { Actor } from '../actors/actor.ts';
import type { KeyEventListStore } from '../data-planes/key-event-list-store.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';
import type { SeatStore } from './seat-store.ts';

export interface RemoveSeatContext extends RevocationContext {
  seatStore: SeatStore;
  keyEventListStore: Pick<KeyEventListStore, 'lastRevocationOfSeat'>;
}

export interface RemovedSeat {
  seat: StoredSeat;
  revokedKeys: string[];
  unconfirmed: string[];
}

/**
 * Removes a seat, revokes its keys, and returns when no data plane accepts them. Waits again for a removed
 * seat, so that an interrupted call can be repeated.
 * @throws ControlPlaneError not_found
 */
export async function removeSeat(
  context: RemoveSeatContext,
  actor: Actor,
  { seatId }: { seatId: string },
): Promise<RemovedSeat> {
  const { keyEventListStore, seatStore } = context;
  await seatStore.remove(actor, seatId);
  const revision = await keyEventListStore.lastRevocationOfSeat(seatId);
  const unconfirmed = await waitForRevocation(context, revision);
  const seat = await seatStore.find(seatId);
  if (seat === null) throw notFound(`there is no seat ${seatId}`);
  return { seat, revokedKeys: await seatStore.keysRevokedWith(seat), unconfirmed };
}

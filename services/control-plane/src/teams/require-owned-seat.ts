import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { SeatStore, StoredSeat } from './seat-store.ts';
import type { TeamStore } from './team-store.ts';

export interface OwnedSeatContext {
  teamStore: Pick<TeamStore, 'find'>;
  seatStore: Pick<SeatStore, 'find'>;
}

/**
 * A seat, removed or not, of a team that the account owns. A member knows of its own seat alone: any other is as if it
 * did not exist.
 * @throws ControlPlaneError not_found, permission_denied (the member whose seat it is)
 */
export async function requireOwnedSeat(
  { teamStore, seatStore }: OwnedSeatContext,
  accountId: string,
  seatId: string,
): Promise<StoredSeat> {
  const seat = await seatStore.find(seatId);
  const team = seat && (await teamStore.find(seat.teamId));
  if (seat !== null && team?.ownerAccountId === accountId) return seat;
  if (seat?.accountId !== accountId) throw new ControlPlaneError('not_found', `there is no seat ${seatId}`);
  throw new ControlPlaneError('permission_denied', 'only the owner of a team may do this');
}

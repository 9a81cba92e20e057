import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { SeatStore, StoredSeat } from './seat-store.ts';

/**
 * A seat that the account has or had; another account's is as if it did not exist.
 * @throws ControlPlaneError not_found
 */
export async function requireSeatOfHolder(
  { seatStore }: { seatStore: Pick<SeatStore, 'find'> },
  accountId: string,
  seatId: string,
): Promise<StoredSeat> {
  const seat = await seatStore.find(seatId);
  if (seat === null || seat.accountId !== accountId) {
    throw new ControlPlaneError('not_found', `there is no seat ${seatId}`);
  }
  return seat;
}

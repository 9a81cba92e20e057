import type { ListHolderKeysResponseMessage, ListHolderTeamsResponseMessage } from '@model-gateway/contracts';
import { ownSeats } from '../teams/own-seats.ts';

/** Whether a seat that the account may see usage of is its own; one that was removed is known by its keys. */
export function isOwnSeat(
  seatId: string,
  teams: ListHolderTeamsResponseMessage,
  keys: ListHolderKeysResponseMessage,
): boolean {
  return (
    ownSeats(teams).some(({ id }) => id === seatId) || keys.keys.some(({ key }) => key?.seatId === seatId)
  );
}

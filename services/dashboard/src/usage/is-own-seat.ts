import type { HolderClient } from '../control-plane/holder-client.ts';
import { ownSeats } from '../teams/own-seats.ts';

/** Returns true if the seat is the account's own; a removed seat is found by its keys. */
export async function isOwnSeat(
  holder: Pick<HolderClient, 'listHolderKeys' | 'listHolderTeams'>,
  { accountId, seatId }: { accountId: string; seatId: string },
): Promise<boolean> {
  if (ownSeats(await holder.listHolderTeams({ accountId })).some(({ id }) => id === seatId)) return true;
  const { keys } = await holder.listHolderKeys({ accountId });
  return keys.some(({ key }) => key?.seatId === seatId);
}

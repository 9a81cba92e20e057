import type { ListHolderTeamsResponseMessage } from '@model-gateway/contracts';
import type { HolderReads } from '../control-plane/holder-client.ts';
import type { OwnSeat } from '../keys/key-entry.ts';

/** Lists the account's own seats. */
export function ownSeats({ teams }: ListHolderTeamsResponseMessage): OwnSeat[] {
  return teams.flatMap(({ team, seats }) =>
    seats
      .filter(({ isOwn }) => isOwn)
      .map(({ seat }) => ({ id: seat?.id ?? '', teamId: team?.id ?? '', teamName: team?.name ?? '' })),
  );
}

/** Returns true if the seat is the account's own; a removed seat is found by its keys. */
export async function isOwnSeat(
  reads: Pick<HolderReads, 'listHolderKeys' | 'listHolderTeams'>,
  { accountId, seatId }: { accountId: string; seatId: string },
): Promise<boolean> {
  if (ownSeats(await reads.listHolderTeams({ accountId })).some(({ id }) => id === seatId)) return true;
  const { keys } = await reads.listHolderKeys({ accountId });
  return keys.some(({ key }) => key?.seatId === seatId);
}

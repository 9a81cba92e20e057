import type { ListHolderTeamsResponseMessage } from '@model-gateway/contracts';
import type { OwnSeat } from '../keys/key-entry.ts';

/** The seats that the account itself has. */
export function ownSeats({ teams }: ListHolderTeamsResponseMessage): OwnSeat[] {
  return teams.flatMap(({ team, seats }) =>
    seats
      .filter(({ isOwn }) => isOwn)
      .map(({ seat }) => ({ id: seat?.id ?? '', teamId: team?.id ?? '', teamName: team?.name ?? '' })),
  );
}

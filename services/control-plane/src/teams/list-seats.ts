import type { SeatStore, StoredSeat } from './seat-store.ts';
import type { TeamStore } from './team-store.ts';

export interface ListSeatsContext {
  teamStore: TeamStore;
  seatStore: SeatStore;
}

/** The seats of a team, removed ones included, newest first. @throws ControlPlaneError not_found */
export async function listSeats(
  { teamStore, seatStore }: ListSeatsContext,
  teamId: string,
): Promise<StoredSeat[]> {
  const { id } = await teamStore.require(teamId);
  return await seatStore.listOfTeam(id);
}

import type { InvitationStore, StoredInvitation } from './invitation-store.ts';
import type { SeatStore, StoredSeat } from './seat-store.ts';
import type { TeamStore } from './team-store.ts';

export interface ListSeatsContext {
  teamStore: TeamStore;
  seatStore: SeatStore;
  invitationStore: Pick<InvitationStore, 'listOfTeams'>;
}

/**
 * The seats of a team, removed ones included, and those that are offered; each newest first.
 * @throws ControlPlaneError not_found
 */
export async function listSeats(
  { invitationStore, seatStore, teamStore }: ListSeatsContext,
  teamId: string,
): Promise<{ seats: StoredSeat[]; invitations: StoredInvitation[] }> {
  const { id } = await teamStore.require(teamId);
  const [seats, invitations] = await Promise.all([
    seatStore.listOfTeam(id),
    invitationStore.listOfTeams([id]),
  ]);
  return { seats, invitations };
}

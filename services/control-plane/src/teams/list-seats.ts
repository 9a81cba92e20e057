import { type ListRequest, listPage, parseListQuery } from '../lists/list-page.ts';
import { invitationMessage } from './invitation-message.ts';
import type { InvitationStore } from './invitation-store.ts';
import { seatMessage } from './seat-message.ts';
import type { TeamListStore } from './team-list-store.ts';
import type { TeamStore } from './team-store.ts';

export interface ListSeatsContext {
  teamStore: Pick<TeamStore, 'require'>;
  teamListStore: TeamListStore;
  invitationStore: Pick<InvitationStore, 'listOfTeams'>;
}

/**
 * Returns one page of a team's seats, newest first, removed ones included; the first page also has
 * invitations.
 * @throws ControlPlaneError not_found, invalid_argument
 */
export async function listSeats(
  { invitationStore, teamStore, teamListStore }: ListSeatsContext,
  request: ListRequest & { teamId: string },
  signal: AbortSignal,
) {
  const query = parseListQuery(request);
  const { id } = await teamStore.require(request.teamId);
  const [seats, invitations] = await Promise.all([
    teamListStore.seatsOf(id, query, signal),
    query.after === undefined ? invitationStore.listOfTeams([id]) : [],
  ]);
  const { rows, next } = listPage(seats, query);
  return { seats: rows.map(seatMessage), invitations: invitations.map(invitationMessage), ...next };
}

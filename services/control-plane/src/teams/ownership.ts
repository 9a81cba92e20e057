import { notFound, permissionDenied } from '../errors/control-plane-error.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';
import type { InvitationStore } from './invitation-store.ts';
import type { SeatStore } from './seat-store.ts';
import type { StoredInvitation } from './stored-invitation.ts';
import type { StoredTeam } from './stored-team.ts';
import type { TeamStore } from './team-store.ts';

/** These checks let an account use only what is its own; the rest they report as missing. */
export interface OwnedTeamContext {
  teamStore: Pick<TeamStore, 'findNotDeleted'>;
  seatStore: Pick<SeatStore, 'findActive'>;
}

/** Finds a team that the account owns. @throws ControlPlaneError not_found, permission_denied (member) */
export async function requireOwnedTeam(
  { teamStore, seatStore }: OwnedTeamContext,
  accountId: string,
  teamId: string,
): Promise<StoredTeam> {
  const team = await teamStore.findNotDeleted(teamId);
  if (team?.ownerAccountId === accountId) return team;
  if (team === null || (await seatStore.findActive(teamId, accountId)) === null) {
    throw notFound(`there is no team ${teamId}`);
  }
  throw permissionDenied('only the owner of a team may do this');
}

export interface OwnedSeatContext {
  teamStore: Pick<TeamStore, 'findNotDeleted'>;
  seatStore: Pick<SeatStore, 'find'>;
}

/**
 * Finds a seat, removed or not, of a team that the account owns; a member sees only its own.
 * @throws ControlPlaneError not_found, permission_denied (member)
 */
export async function requireOwnedSeat(
  { teamStore, seatStore }: OwnedSeatContext,
  accountId: string,
  seatId: string,
): Promise<StoredSeat> {
  const seat = await seatStore.find(seatId);
  const team = seat && (await teamStore.findNotDeleted(seat.teamId));
  if (seat !== null && team?.ownerAccountId === accountId) return seat;
  if (seat?.accountId !== accountId) throw notFound(`there is no seat ${seatId}`);
  throw permissionDenied('only the owner of a team may do this');
}

export interface OwnedInvitationContext {
  teamStore: Pick<TeamStore, 'findNotDeleted'>;
  invitationStore: Pick<InvitationStore, 'find'>;
}

/** Finds an open invitation to a team that the account owns. @throws ControlPlaneError not_found */
export async function requireOwnedInvitation(
  { teamStore, invitationStore }: OwnedInvitationContext,
  accountId: string,
  invitationId: string,
): Promise<StoredInvitation> {
  const invitation = await invitationStore.find(invitationId);
  const team = invitation && (await teamStore.findNotDeleted(invitation.teamId));
  if (invitation !== null && team?.ownerAccountId === accountId) return invitation;
  throw notFound(`there is no invitation ${invitationId}`);
}

/** Finds a seat that the account has or had. @throws ControlPlaneError not_found */
export async function requireSeatOfHolder(
  { seatStore }: { seatStore: Pick<SeatStore, 'find'> },
  accountId: string,
  seatId: string,
): Promise<StoredSeat> {
  const seat = await seatStore.find(seatId);
  if (seat === null || seat.accountId !== accountId) throw notFound(`there is no seat ${seatId}`);
  return seat;
}

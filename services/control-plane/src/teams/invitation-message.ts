import type { OfferedSeat, StoredInvitation } from './stored-invitation.ts';

export function invitationMessage({ id, teamId, email, createdAt, expiresAt }: StoredInvitation) {
  return { id, teamId, email, createdAtMs: createdAt.getTime(), expiresAtMs: expiresAt.getTime() };
}

/** The only message that holds the token. */
export function newInvitationMessage({ invitation, token }: { invitation: StoredInvitation; token: string }) {
  return { invitation: invitationMessage(invitation), token };
}

export function offeredSeatMessage({ teamName, ...invitation }: OfferedSeat) {
  return { invitation: invitationMessage(invitation), teamName };
}

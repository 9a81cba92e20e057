import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { InvitationStore, StoredInvitation } from './invitation-store.ts';
import type { TeamStore } from './team-store.ts';

export interface OwnedInvitationContext {
  teamStore: Pick<TeamStore, 'find'>;
  invitationStore: Pick<InvitationStore, 'find'>;
}

/**
 * An open invitation to a team that the account owns; for everybody else it is as if it did not exist.
 * @throws ControlPlaneError not_found
 */
export async function requireOwnedInvitation(
  { teamStore, invitationStore }: OwnedInvitationContext,
  accountId: string,
  invitationId: string,
): Promise<StoredInvitation> {
  const invitation = await invitationStore.find(invitationId);
  const team = invitation && (await teamStore.find(invitation.teamId));
  if (invitation !== null && team?.ownerAccountId === accountId) return invitation;
  throw new ControlPlaneError('not_found', `there is no invitation ${invitationId}`);
}

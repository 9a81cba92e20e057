import { secretTokenHash } from '../accounts/secret-token.ts';
import { type ControlPlaneError, notFound } from '../errors/control-plane-error.ts';
import type { InvitationStore } from './invitation-store.ts';
import type { OfferedSeat } from './stored-invitation.ts';

/** Finds the seat that an invitation's token offers. @throws ControlPlaneError not_found */
export async function findOfferedSeat(
  { invitationStore }: { invitationStore: Pick<InvitationStore, 'findByToken'> },
  token: string,
): Promise<OfferedSeat> {
  const offered = await invitationStore.findByToken(secretTokenHash(token));
  if (offered === null) throw invitationGone();
  return offered;
}

/**
 * Makes the same error for accepted, withdrawn, expired and unknown invitations, so that it reveals nothing
 * about the team.
 */
export function invitationGone(): ControlPlaneError {
  return notFound('this invitation was never given, is used, withdrawn or has expired');
}

import type { Actor } from '../actors/actor.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { InvitationStore } from './invitation-store.ts';
import type { StoredInvitation } from './stored-invitation.ts';

/** @throws ControlPlaneError not_found */
export async function withdrawInvitation(
  { invitationStore }: { invitationStore: Pick<InvitationStore, 'withdraw'> },
  actor: Actor,
  { invitationId }: { invitationId: string },
): Promise<StoredInvitation> {
  const withdrawn = await invitationStore.withdraw(actor, invitationId);
  if (withdrawn === null) throw notFound(`there is no invitation ${invitationId}`);
  return withdrawn;
}

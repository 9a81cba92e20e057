import type { Actor } from '../actors/actor.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { InvitationStore, StoredInvitation } from './invitation-store.ts';

/** @throws ControlPlaneError not_found */
export async function withdrawInvitation(
  { invitationStore }: { invitationStore: Pick<InvitationStore, 'withdraw'> },
  _actor: Actor,
  { invitationId }: { invitationId: string },
): Promise<StoredInvitation> {
  const withdrawn = await invitationStore.withdraw(invitationId);
  if (withdrawn === null) throw notFound(`there is no invitation ${invitationId}`);
  return withdrawn;
}

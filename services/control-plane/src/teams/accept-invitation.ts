import { newId } from '@model-gateway/shared';
import { secretTokenHash } from '../accounts/secret-token.ts';
import type { UserActor } from '../actors/actor.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';
import { invitationGone } from './find-offered-seat.ts';
import type { InvitationStore } from './invitation-store.ts';

/**
 * Accepts an invitation once.
 * @param request.token without one, the invitation must be to the account's proven address
 * @throws ControlPlaneError invalid_argument (neither id nor token), not_found, already_exists (active seat
 *   in the team)
 */
export async function acceptInvitation(
  { invitationStore }: { invitationStore: InvitationStore },
  actor: UserActor,
  { invitationId, token }: { invitationId?: string | undefined; token?: string | undefined },
): Promise<StoredSeat> {
  const seat = { seatId: newId('seat'), accountId: actor.accountId };
  if (token !== undefined) {
    const accepted = await invitationStore.accept(actor, { tokenHash: secretTokenHash(token) }, seat);
    if (accepted === null) throw invitationGone();
    return accepted;
  }
  if (invitationId === undefined) throw invalidArgument('an invitation needs its id or its token');
  const accepted = await invitationStore.accept(actor, { invitationId }, seat);
  if (accepted === null) throw notFound(`there is no invitation ${invitationId}`);
  return accepted;
}

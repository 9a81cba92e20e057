import { newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import { requireEmail } from '../accounts/email-address.ts';
import { newSecretToken, secretTokenHash } from '../accounts/secret-token.ts';
import type { Actor } from '../actors/actor.ts';
import { alreadyExists } from '../errors/control-plane-error.ts';
import type { InvitationStore } from './invitation-store.ts';
import type { SeatStore } from './seat-store.ts';
import type { StoredInvitation } from './stored-invitation.ts';

export interface InviteToTeamContext {
  accountStore: Pick<AccountStore, 'findByEmail'>;
  seatStore: Pick<SeatStore, 'findActive'>;
  invitationStore: Pick<InvitationStore, 'offer'>;
}

const VALID_DAYS = 14;
/** Per team, so that nobody fills the database with addresses. */
const MAX_OPEN = 200;

/**
 * Invites an e-mail address for 14 days without revealing whether it has an account. Stores only the token's
 * hash.
 * @throws ControlPlaneError invalid_argument, already_exists (active seat), failed_precondition (too many
 *   open invitations; the user has lost its role)
 */
export async function inviteToTeam(
  { accountStore, invitationStore, seatStore }: InviteToTeamContext,
  actor: Actor,
  { teamId, email: given }: { teamId: string; email: string },
): Promise<{ invitation: StoredInvitation; token: string }> {
  const email = requireEmail(given, 'an invitation');
  const account = await accountStore.findByEmail(email);
  if (account !== null && (await seatStore.findActive(teamId, account.id)) !== null) {
    throw alreadyExists(`the account has a seat in the team ${teamId}`);
  }
  const token = newSecretToken();
  const tokenHash = secretTokenHash(token);
  const user = actor.type === 'user' ? actor : undefined;
  const offer = { id: newId('inv'), teamId, email, tokenHash, validDays: VALID_DAYS, user };
  return { invitation: await invitationStore.offer(actor, offer, MAX_OPEN), token };
}

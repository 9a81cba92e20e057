import { newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import { parseEmail } from '../accounts/email-address.ts';
import type { UserActor } from '../actors/actor.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';
import { type InviteToTeamContext, inviteToTeam } from './invite-to-team.ts';
import { type OwnedTeamContext, requireOwnedTeam } from './ownership.ts';
import type { SeatStore } from './seat-store.ts';
import type { StoredInvitation } from './stored-invitation.ts';

export interface InviteToHolderTeamContext extends OwnedTeamContext, InviteToTeamContext {
  accountStore: Pick<AccountStore, 'findByEmail' | 'require'>;
  seatStore: Pick<SeatStore, 'findActive' | 'create'>;
}

/**
 * Invites to a team of the user's account. The owner gets a seat at once.
 * @throws ControlPlaneError as inviteToTeam; not_found (team), permission_denied (member)
 */
export async function inviteToHolderTeam(
  context: InviteToHolderTeamContext,
  actor: UserActor,
  { teamId, email }: { teamId: string; email: string },
): Promise<{ seat: StoredSeat } | { invitation: StoredInvitation; token: string }> {
  const { accountId } = actor;
  const team = await requireOwnedTeam(context, accountId, teamId);
  const owner = await context.accountStore.require(accountId);
  if (parseEmail(email) !== owner.email) {
    return await inviteToTeam(context, actor, { teamId: team.id, email });
  }
  return { seat: await context.seatStore.create(actor, { id: newId('seat'), teamId: team.id, accountId }) };
}

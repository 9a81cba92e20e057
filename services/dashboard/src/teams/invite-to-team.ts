import type { Mailer } from '@model-gateway/mail';
import type { Logger } from '@model-gateway/service-kit';
import type { AddSeatResponse } from '../../wire/teams.ts';
import type { DashboardConfig } from '../config.ts';
import type { HolderChanges, HolderReads } from '../control-plane/holder-client.ts';
import { type Inviter, mayMailInvitation } from '../invitations/may-mail-invitation.ts';
import { invitationMail } from '../mail/mail-texts.ts';
import type { AttemptStore } from '../sign-in/attempt-store.ts';
import { toInvitationEntry } from './to-team.ts';

export interface InviteToTeamContext {
  config: Pick<DashboardConfig, 'publicUrl'> & { product: Pick<DashboardConfig['product'], 'name'> };
  reads: Pick<HolderReads, 'listHolderTeams'>;
  changes: Pick<HolderChanges, 'inviteToHolderTeam'>;
  attemptStore: Pick<AttemptStore, 'count'>;
  mailer: Pick<Mailer, 'isConfigured' | 'send'>;
  log: Logger;
}

/**
 * Invites an address to a seat; the owner's own address gets the seat at once. Mails the link only for owners
 * with a verified address, because the mail names it as the sender of the invitation.
 * @throws DashboardError the errors of InviteToHolderTeam
 */
export async function inviteToTeam(
  context: InviteToTeamContext,
  owner: Inviter,
  { teamId, email }: { teamId: string; email: string },
): Promise<AddSeatResponse> {
  const { changes, config } = context;
  const { seat, invitation: offered } = await changes.inviteToHolderTeam({ teamId, email });
  if (seat !== null) return { seatId: seat.id, invitation: null };
  if (offered === null || offered.invitation === null) {
    throw new Error('the control plane answered with neither a seat nor an invitation');
  }
  const invitation = toInvitationEntry(offered.invitation);
  const link = `${config.publicUrl}/invitation#token=${offered.token}`;
  const isMailed =
    (await mayMailInvitation(context, owner, invitation.email)) &&
    (await sendMail(context, owner, { ...invitation, teamId, link }));
  return { seatId: null, invitation: { ...invitation, link, isMailed } };
}

/** @returns false, and never throws: the link is only in the response, which must not be lost */
async function sendMail(
  { config, log, mailer, reads }: InviteToTeamContext,
  owner: Inviter,
  { email, expiresAtMs, link, teamId }: { email: string; expiresAtMs: number; link: string; teamId: string },
): Promise<boolean> {
  try {
    const { teams } = await reads.listHolderTeams({ accountId: owner.accountId });
    const teamName = teams.find(({ team }) => team?.id === teamId)?.team?.name ?? '';
    const details = { product: config.product.name, to: email, inviter: owner.email };
    mailer.send(invitationMail({ ...details, teamName, link, expiresAtMs }));
    return true;
  } catch (error) {
    log.warn({ error }, 'cannot mail an invitation; the owner can pass the link on');
    return false;
  }
}

import type { InviteMemberRequest, InviteMemberResponse } from '../../wire/members.ts';
import type { DashboardContext } from '../context.ts';
import type { HolderChanges } from '../control-plane/holder-client.ts';
import { type Inviter, mayMailInvitation } from '../invitations/may-mail-invitation.ts';
import { membershipMail } from '../mail/mail-texts.ts';
import { toMember } from './to-member.ts';

/**
 * Invites an address to the account, and mails the link if its inviter has a verified address.
 * @param accountName shown in the mail
 * @throws DashboardError the errors of InviteHolderMember
 */
export async function inviteMember(
  context: Pick<DashboardContext, 'attemptStore' | 'config' | 'mailer'>,
  changes: Pick<HolderChanges, 'inviteHolderMember'>,
  inviter: Inviter & { accountName: string },
  request: InviteMemberRequest,
): Promise<InviteMemberResponse> {
  const { config, mailer } = context;
  const { member: invited, token } = await changes.inviteHolderMember(request);
  if (invited === null) throw new Error('the control plane answered without the invited member');
  const member = toMember(invited);
  const link = `${config.publicUrl}/membership#token=${token}`;
  const isMailed = await mayMailInvitation(context, inviter, member.email);
  if (isMailed) {
    const details = { product: config.product.name, to: member.email, inviter: inviter.email, link };
    const expiresAtMs = member.expiresAtMs ?? Date.now();
    mailer.send(membershipMail({ ...details, accountName: inviter.accountName, expiresAtMs }));
  }
  return { member, link, isMailed };
}

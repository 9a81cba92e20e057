import type { AccountStore, StoredAccount } from '../accounts/account-store.ts';
import { secretTokenHash } from '../accounts/secret-token.ts';
import type { UserActor } from '../actors/actor.ts';
import { type ControlPlaneError, invalidArgument, notFound } from '../errors/control-plane-error.ts';
import type { JoinStore } from './join-store.ts';
import type { MemberStore, OfferedMembership } from './member-store.ts';
import type { StoredMember } from './stored-member.ts';

/** Finds the membership that an invitation's token offers. @throws ControlPlaneError not_found */
export async function findOfferedMembership(
  { memberStore }: { memberStore: Pick<MemberStore, 'findOffer'> },
  token: string,
): Promise<OfferedMembership> {
  const offered = await memberStore.findOffer({ tokenHash: secretTokenHash(token) });
  if (offered === null) throw invitationGone();
  return offered;
}

/**
 * Makes the signed-in user a member of the account that invited it, once.
 * @param request.token without one, the user must have proven the invited address
 * @throws ControlPlaneError invalid_argument (neither id nor token), not_found, already_exists (owns the
 *   account, or is a member)
 */
export async function acceptMembership(
  {
    accountStore,
    joinStore,
  }: { accountStore: Pick<AccountStore, 'require'>; joinStore: Pick<JoinStore, 'accept'> },
  actor: UserActor,
  { invitationId, token }: { invitationId?: string | undefined; token?: string | undefined },
): Promise<{ account: StoredAccount; member: StoredMember }> {
  const { signInId } = actor;
  if (token === undefined && invitationId === undefined)
    throw invalidArgument('an invitation needs its id or its token');
  const which =
    token === undefined
      ? { invitationId: invitationId ?? '', signInId }
      : { tokenHash: secretTokenHash(token) };
  const member = await joinStore.accept(actor, signInId, which);
  if (member === null) throw invitationGone();
  return { account: await accountStore.require(member.accountId), member };
}

/** Returns the same error for accepted, withdrawn, expired and unknown invitations. */
function invitationGone(): ControlPlaneError {
  return notFound('this invitation is unknown, used, withdrawn or expired: ask for a new one');
}

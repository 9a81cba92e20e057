import { newId } from '@model-gateway/shared';
import { ACCOUNT_ROLES, type AccountRole } from '@model-gateway/shared/access';
import type { AccountStore } from '../accounts/account-store.ts';
import { requireEmail } from '../accounts/email-address.ts';
import { newSecretToken, secretTokenHash } from '../accounts/secret-token.ts';
import type { Actor } from '../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { type ListRequest, listPage, parseListQuery } from '../lists/list-page.ts';
import type { MemberChangeStore, MemberKey, NewMember } from './member-change-store.ts';
import { memberMessage } from './member-message.ts';
import type { MemberStore } from './member-store.ts';
import type { StoredMember } from './stored-member.ts';

export interface MembersContext {
  accountStore: Pick<AccountStore, 'require'>;
  memberChangeStore: MemberChangeStore;
}

const VALID_DAYS = 14;
/** Per account, so that nobody fills the database with addresses. */
const MAX_OPEN = 200;
const MAX_NAME_LENGTH = 200;

/**
 * Returns one page of an account's members and open invitations, newest first.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found, invalid_argument
 */
export async function listMembers(
  context: { accountStore: Pick<AccountStore, 'require'>; memberStore: Pick<MemberStore, 'ofAccount'> },
  request: ListRequest & { account: string },
) {
  const query = parseListQuery(request);
  const { email, id } = await context.accountStore.require(request.account);
  const { rows, next } = listPage(await context.memberStore.ofAccount(id, query), query);
  return { accountId: id, ownerEmail: email, members: rows.map(memberMessage), ...next };
}

/**
 * Adds a member without an invitation. The sign-in that proves the address becomes the member.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found, invalid_argument, permission_denied (role), already_exists (member, or
 *   owner of the account), failed_precondition (deleted account)
 */
export async function addMember(
  context: MembersContext,
  actor: Actor,
  {
    account,
    source,
    ...request
  }: Pick<NewMember, 'email' | 'source'> & {
    account: string;
    role: string;
    name: string;
  },
): Promise<StoredMember> {
  const name = request.name.trim();
  if (name.length > MAX_NAME_LENGTH) {
    throw invalidArgument(`a name has at most ${MAX_NAME_LENGTH} characters`);
  }
  const { id: accountId } = await context.accountStore.require(account);
  const email = requireEmail(request.email, 'a member');
  const member = { id: newId('mem'), accountId, email, name, role: requireRole(request.role), source };
  return await context.memberChangeStore.add(actor, member, MAX_OPEN);
}

/**
 * Invites an e-mail address for 14 days. Stores only the token's hash.
 * @throws ControlPlaneError as addMember; failed_precondition (too many open invitations)
 */
export async function inviteMember(
  context: MembersContext,
  actor: Actor,
  request: {
    account: string;
    email: string;
    role: string;
    /** Undefined: a new one. */
    token?: string | undefined;
  },
): Promise<{ member: StoredMember; token: string }> {
  const { id: accountId } = await context.accountStore.require(request.account);
  const email = requireEmail(request.email, 'an invitation');
  const role = requireRole(request.role);
  const { token = newSecretToken() } = request;
  const invitation = { tokenHash: secretTokenHash(token), validDays: VALID_DAYS };
  const invited = {
    id: newId('mem'),
    accountId,
    email,
    name: '',
    role,
    source: 'invitation',
    invitation,
  } as const;
  return { member: await context.memberChangeStore.add(actor, invited, MAX_OPEN), token };
}

/**
 * Changes the role of a member or of an open invitation. It counts from the member's next call on.
 * @param request.member id or e-mail address
 * @throws ControlPlaneError not_found, invalid_argument, permission_denied (role), failed_precondition (last
 *   owner)
 */
export async function changeMemberRole(
  context: MembersContext,
  actor: Actor,
  { account, member, role }: { account: string; member: string; role: string },
): Promise<StoredMember> {
  const key = await memberKey(context, { account, member });
  return await context.memberChangeStore.changeRole(actor, key, requireRole(role));
}

/**
 * Removes a member, and returns when no data plane accepts the keys that it made; or withdraws an open
 * invitation.
 * @param request.member id or e-mail address
 * @returns `unconfirmed`: as revokeKey
 * @throws ControlPlaneError as changeMemberRole
 */
export async function removeMember(
  context: MembersContext & RevocationContext,
  actor: Actor,
  request: { account: string; member: string },
): Promise<{ member: StoredMember; revokedKeys: string[]; unconfirmed: string[] }> {
  const key = await memberKey(context, request);
  const { revision, ...removed } = await context.memberChangeStore.remove(actor, key);
  return { ...removed, unconfirmed: await waitForRevocation(context, revision) };
}

async function memberKey(
  { accountStore }: MembersContext,
  { account, member }: { account: string; member: string },
): Promise<MemberKey> {
  return { accountId: (await accountStore.require(account)).id, member };
}

/** @throws ControlPlaneError invalid_argument */
function requireRole(text: string): AccountRole {
  const role = ACCOUNT_ROLES.find((known) => known === text);
  if (role !== undefined) return role;
  throw invalidArgument(`role must be one of ${ACCOUNT_ROLES.join(', ')}, not "${text}"`);
}

import type { AccountRole, InstallationRole } from '@model-gateway/shared/access';
import type { RoleStore } from '../access/role-store.ts';
import type { AccountStore, StoredAccount } from '../accounts/account-store.ts';
import { parseEmail } from '../accounts/email-address.ts';
import { type OpenAccountContext, openAccount, type SignIn } from '../accounts/open-account.ts';
import type { SignInStore } from '../accounts/sign-in-store.ts';
import type { Actor } from '../actors/actor.ts';
import { waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { ControlPlaneError, permissionDenied } from '../errors/control-plane-error.ts';
import type { JoinStore } from './join-store.ts';
import type { MemberStore, OfferedMembership } from './member-store.ts';

export interface OpenAccountsContext extends OpenAccountContext {
  accountStore: OpenAccountContext['accountStore'] & Pick<AccountStore, 'require'>;
  signInStore: OpenAccountContext['signInStore'] & Pick<SignInStore, 'isStopped'>;
  memberStore: Pick<MemberStore, 'offeredTo' | 'ofSignIn'>;
  joinStore: Pick<JoinStore, 'accept' | 'bind'>;
  roleStore: Pick<RoleStore, 'installationRolesOf'>;
}

export interface OpenedAccount {
  account: StoredAccount;
  role: AccountRole;
}

export interface OpenedAccounts {
  /** At least one; first the one that the sign-in owns. */
  accounts: OpenedAccount[];
  offered: OfferedMembership[];
  installationRoles: InstallationRole[];
}

/**
 * Returns the accounts of a sign-in with its roles: the one it owns (`openAccount`), and those in which it is
 * a member. A sign-in that would have none, and for which none may be created, accepts the open invitations
 * to its proven address.
 * @throws ControlPlaneError of openAccount, for a sign-in without any account; permission_denied (deactivated
 *   by an identity provider)
 */
export async function openAccounts(
  context: OpenAccountsContext,
  actor: Actor,
  request: SignIn & { mayCreate: boolean; poolNeedsProof: boolean },
): Promise<OpenedAccounts> {
  const { accountStore, joinStore, memberStore, roleStore } = context;
  const { signInId } = request;
  const proven = request.emailVerified ? parseEmail(request.email) : undefined;
  if (await context.signInStore.isStopped(signInId, proven))
    throw permissionDenied('the identity provider has deactivated this user');
  if (proven !== undefined) await waitForRevocation(context, await joinStore.bind(actor, signInId, proven));
  const own = await openAccount(context, actor, request).catch((error: unknown) => {
    if (error instanceof ControlPlaneError) return error;
    throw error;
  });
  const isRefused = own instanceof ControlPlaneError;
  let members = await memberStore.ofSignIn(signInId);
  if (isRefused && members.length === 0 && own.code === 'failed_precondition') {
    for (const { id } of await memberStore.offeredTo(signInId))
      await joinStore.accept(actor, signInId, { invitationId: id, signInId });
    members = await memberStore.ofSignIn(signInId);
  }
  if (isRefused && members.length === 0) throw own;
  const memberships = members.map(async ({ accountId, role }) => ({
    account: await accountStore.require(accountId),
    role,
  }));
  const [offered, installationRoles, ...accounts] = await Promise.all([
    memberStore.offeredTo(signInId),
    roleStore.installationRolesOf(signInId),
    ...memberships,
  ]);
  return {
    accounts: isRefused ? accounts : [{ account: own, role: 'owner' }, ...accounts],
    offered,
    installationRoles,
  };
}

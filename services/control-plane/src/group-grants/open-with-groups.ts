import { parseEmail } from '../accounts/email-address.ts';
import type { Actor } from '../actors/actor.ts';
import { waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { type OpenAccountsContext, type OpenedAccounts, openAccounts } from '../members/open-accounts.ts';
import { type GroupGrants, grantsOf } from './group-grants.ts';
import type { SignInGroupsStore } from './sign-in-groups-store.ts';

export interface OpenWithGroupsContext extends OpenAccountsContext {
  groupGrants: GroupGrants;
  signInGroupsStore: Pick<SignInGroupsStore, 'apply'>;
}

/**
 * Opens the accounts of a sign-in (`openAccounts`) after its groups have given and taken away what they do.
 * Groups count only with a proven address.
 * @param groups of the identity provider; null: this is no sign-in with one
 * @throws ControlPlaneError of openAccounts
 */
export async function openWithGroups(
  context: OpenWithGroupsContext,
  actor: Actor,
  request: Parameters<typeof openAccounts>[2],
  groups: { provider: string; names: string[] } | null,
): Promise<OpenedAccounts> {
  const email = request.emailVerified ? parseEmail(request.email) : undefined;
  if (groups === null || email === undefined) return await openAccounts(context, actor, request);
  const { name } = request;
  const grants = grantsOf(context.groupGrants, { provider: groups.provider, groups: groups.names });
  const apply = async () => {
    const { hasAccount, revision } = await context.signInGroupsStore.apply(actor, { email, name, grants });
    await waitForRevocation(context, revision);
    return hasAccount;
  };
  const hadAccount = await apply();
  const opened = await openAccounts(context, actor, request);
  if (hadAccount || grants.teamIds.length === 0) return opened;
  // Its own account, which holds seats, is new.
  await apply();
  return await openAccounts(context, actor, request);
}

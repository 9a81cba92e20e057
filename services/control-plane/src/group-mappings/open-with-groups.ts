import { parseEmail } from '../accounts/email-address.ts';
import type { Actor } from '../actors/actor.ts';
import { waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { type OpenAccountsContext, type OpenedAccounts, openAccounts } from '../members/open-accounts.ts';
import { oidcSource } from './assignment-change.ts';
import { assignmentsOf, type GroupMappings } from './group-mappings.ts';
import type { SignInGroupsStore } from './sign-in-groups-store.ts';

export interface OpenWithGroupsContext extends OpenAccountsContext {
  groupMappings: GroupMappings;
  signInGroupsStore: Pick<SignInGroupsStore, 'apply'>;
}

/**
 * Opens the accounts of a sign-in (`openAccounts`) after it has updated the roles and seats that its groups
 * give. Ignores groups without a proven address.
 * @param groups of the identity provider; null: the sign-in has none
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
  const assignments = assignmentsOf(context.groupMappings, {
    provider: groups.provider,
    groups: groups.names,
  });
  const apply = async () => {
    const { hasAccount, revision } = await context.signInGroupsStore.apply(actor, {
      email,
      name,
      assignments,
      source: oidcSource(groups.provider),
    });
    await waitForRevocation(context, revision);
    return hasAccount;
  };
  const hadAccount = await apply();
  const opened = await openAccounts(context, actor, request);
  if (hadAccount || assignments.teamIds.length === 0) return opened;
  // Seats need an account of its own, which did not exist before.
  await apply();
  return await openAccounts(context, actor, request);
}

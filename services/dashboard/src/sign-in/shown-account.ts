import type { HolderAccess, HolderAccount } from './holder-accounts.ts';
import type { HolderSession } from './holder-session.ts';

/**
 * Returns the account that a session shows as its owner sees it; undefined: none. The control plane checks
 * with every call that the user has a role in the installation.
 */
export function viewedAccountId(
  { installationRoles }: Pick<HolderAccess, 'installationRoles'>,
  { viewedAccountId: id }: Pick<HolderSession, 'viewedAccountId'>,
): string | undefined {
  return installationRoles.length === 0 ? undefined : (id ?? undefined);
}

/** Returns the account that a session shows: the chosen one while the user may use it, else their first. */
export function shownAccount(
  { accounts }: Pick<HolderAccess, 'accounts'>,
  { activeAccountId }: Pick<HolderSession, 'activeAccountId'>,
): HolderAccount {
  return accounts.find(({ id }) => id === activeAccountId) ?? accounts[0];
}

import type { AccountStore } from '../accounts/account-store.ts';
import type { StoredTeam, TeamStore } from './team-store.ts';

export interface ListTeamsContext {
  accountStore: AccountStore;
  teamStore: TeamStore;
}

/**
 * The teams that an account owns, oldest first.
 * @param account id or e-mail address
 * @throws ControlPlaneError not_found
 */
export async function listTeams(
  { accountStore, teamStore }: ListTeamsContext,
  account: string,
): Promise<StoredTeam[]> {
  const { id } = await accountStore.require(account);
  return await teamStore.listOfOwner(id);
}

import type { AccountStore } from '../accounts/account-store.ts';
import { type ListRequest, listPage, parseListQuery } from '../lists/list-page.ts';
import type { TeamListStore } from './team-list-store.ts';
import { teamMessage } from './team-message.ts';

/**
 * Returns one page of the teams an account owns, oldest first.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found, invalid_argument
 */
export async function listTeams(
  { accountStore, teamListStore }: { accountStore: AccountStore; teamListStore: TeamListStore },
  request: ListRequest & { account: string },
  signal: AbortSignal,
) {
  const query = parseListQuery(request);
  const { id } = await accountStore.require(request.account);
  const { rows, next } = listPage(await teamListStore.ofOwner(id, query, signal), query);
  return { teams: rows.map(teamMessage), ...next };
}

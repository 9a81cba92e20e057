import type { AccountStore } from '../accounts/account-store.ts';
import { type ListRequest, listPage, parseListQuery } from '../lists/list-page.ts';
import type { KeyListStore } from './key-list-store.ts';
import { keyMessage } from './key-message.ts';

/**
 * Returns one page of an account's keys, newest first, with revoked and without hidden ones.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found, invalid_argument
 */
export async function listKeys(
  { accountStore, keyListStore }: { accountStore: AccountStore; keyListStore: KeyListStore },
  request: ListRequest & { account: string },
  signal: AbortSignal,
) {
  const query = parseListQuery(request);
  const { id } = await accountStore.require(request.account);
  const { rows, next } = listPage(await keyListStore.ofAccount(id, query, signal), query);
  return { keys: rows.map(keyMessage), ...next };
}

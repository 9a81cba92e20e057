import { type ListRequest, listPage, listQuestion } from '../lists/list-page.ts';
import type { AccountListStore } from './account-list-store.ts';
import { accountMessage } from './account-message.ts';

/** One page of all accounts, oldest first. @throws ControlPlaneError invalid_argument */
export async function listAccounts(
  { accountListStore }: { accountListStore: AccountListStore },
  request: ListRequest,
  signal: AbortSignal,
) {
  const question = listQuestion(request);
  const { rows, next } = listPage(await accountListStore.list(question, signal), question);
  return { accounts: rows.map(accountMessage), ...next };
}

import type { ListAccountsRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { type ListPlace, type ListQuestion, listPage, listQuestion, tokenOf } from '../lists/list-page.ts';
import type { AccountListStore } from './account-list-store.ts';
import { accountMessage } from './account-message.ts';

/** The length of the longest e-mail address. */
const MAX_SEARCH_LENGTH = 254;

/**
 * Returns one page of accounts, all or those matching a search, oldest first. A page of a search may be short
 * or empty although more follow.
 * @throws ControlPlaneError invalid_argument
 */
export async function listAccounts(
  { accountListStore }: { accountListStore: AccountListStore },
  request: ListAccountsRequestMessage,
  signal: AbortSignal,
) {
  const { search = '' } = request;
  if (search.length > MAX_SEARCH_LENGTH) {
    throw invalidArgument(`search must have at most ${MAX_SEARCH_LENGTH} characters`);
  }
  const question = await startOf(accountListStore, request, signal);
  const found = await accountListStore.list({ ...question, search }, signal);
  const { rows, next } = listPage(found, question);
  if (search !== '' && next.nextPageToken === undefined) {
    const last = await accountListStore.lastLookedAt(question, signal);
    if (last !== undefined) return { accounts: rows.map(accountMessage), nextPageToken: tokenOf(last) };
  }
  return { accounts: rows.map(accountMessage), ...next };
}

async function startOf(
  store: Pick<AccountListStore, 'placeOf'>,
  { limit, pageToken, after }: ListAccountsRequestMessage,
  signal: AbortSignal,
): Promise<ListQuestion> {
  const question = listQuestion({ limit, pageToken });
  if (pageToken !== undefined || after === undefined) return question;
  const place: ListPlace | undefined = await store.placeOf(after, signal);
  if (place === undefined) {
    throw invalidArgument(`there is no account ${after} to go on after`);
  }
  return { ...question, after: place };
}

import type { ListAccountsRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import {
  encodeListCursor,
  type ListCursor,
  type ListQuery,
  listPage,
  parseListQuery,
} from '../lists/list-page.ts';
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
  const query = await toListQuery(accountListStore, request, signal);
  const found = await accountListStore.list({ ...query, search }, signal);
  const { rows, next } = listPage(found, query);
  const mayFollow = search !== '' && next.nextPageToken === undefined;
  const last = mayFollow ? await accountListStore.lastScanned(query, signal) : undefined;
  const page = last === undefined ? next : { nextPageToken: encodeListCursor(last) };
  const left = request.withLeft
    ? await accountListStore.leftOf(
        rows.map(({ id }) => id),
        signal,
      )
    : undefined;
  return { accounts: rows.map((account) => accountMessage(account, left?.get(account.id))), ...page };
}

async function toListQuery(
  store: Pick<AccountListStore, 'cursorOf'>,
  { limit, pageToken, after }: ListAccountsRequestMessage,
  signal: AbortSignal,
): Promise<ListQuery> {
  const query = parseListQuery({ limit, pageToken });
  if (pageToken !== undefined || after === undefined) return query;
  const cursor: ListCursor | undefined = await store.cursorOf(after, signal);
  if (cursor === undefined) throw invalidArgument(`there is no account ${after} to go on after`);
  return { ...query, after: cursor };
}

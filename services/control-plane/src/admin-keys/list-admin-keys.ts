import { type ListRequest, listPage, parseListQuery } from '../lists/list-page.ts';
import { adminKeyMessage } from './admin-key-message.ts';
import type { AdminKeyStore } from './admin-key-store.ts';

/**
 * Returns one page of the keys of the management API, newest first.
 * @param request.accountId undefined: bound or not
 * @throws ControlPlaneError invalid_argument
 */
export async function listAdminKeys(
  { adminKeyStore }: { adminKeyStore: Pick<AdminKeyStore, 'list'> },
  request: ListRequest & { accountId: string | undefined },
) {
  const query = parseListQuery(request);
  const { rows, next } = listPage(await adminKeyStore.list(request.accountId, query), query);
  return { keys: rows.map(adminKeyMessage), ...next };
}

import type { AccountStore } from '../accounts/account-store.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { omitAbsent } from '../omit-absent.ts';
import { clientStatusOf } from './client-status.ts';
import { costMessage } from './cost-message.ts';
import { labelsMessage } from './labels-message.ts';
import { parseReceiptListQuery, type ReceiptListRequest } from './receipt-list-query.ts';
import type { ReceiptListStore, ReceiptOwner, SummaryRow } from './receipt-list-store.ts';
import { encodeRequestCursor, type RequestCursor } from './request-cursor.ts';
import { requestHeadMessage } from './request-head-message.ts';
import { requestTimings } from './request-timings.ts';

interface ListReceiptsContext {
  accountStore: Pick<AccountStore, 'require'>;
  keyStore: Pick<KeyStore, 'find'>;
  receiptListStore: Pick<ReceiptListStore, 'list' | 'lastScanned' | 'cursorOf'>;
}

/**
 * Returns one page of the requests of all accounts, one account or one key, for operators. A page may be
 * short or empty although more follow; settlements between pages move no request.
 * @param withCost includes what providers charge, which only operators may see
 * @throws ControlPlaneError invalid_argument; not_found (account, key)
 */
export async function listReceipts(
  context: ListReceiptsContext,
  request: ReceiptListRequest,
  signal: AbortSignal,
  withCost: boolean,
) {
  const { receiptListStore: store } = context;
  const parsed = parseReceiptListQuery(request);
  const owner = await ownerOf(context, request);
  const query = { ...parsed, after: parsed.after ?? (await findCursorAfter(store, request, signal)) };
  const rows = await store.list(owner, query, signal);
  const listed = rows.slice(0, query.limit);
  const next =
    rows.length > listed.length ? cursorOf(listed.at(-1)) : await store.lastScanned(owner, query, signal);
  if (rows.length === 0 && query.after === undefined && next === undefined) {
    await requireKnownKey(context, owner);
  }
  return {
    receipts: listed.map((row) => summaryMessage(row, withCost)),
    ...(next === undefined
      ? {}
      : { nextPageToken: encodeRequestCursor(next), searchedBackToMs: next.endedAtMs }),
  };
}

async function ownerOf(
  { accountStore }: ListReceiptsContext,
  { account, keyId }: ReceiptListRequest,
): Promise<ReceiptOwner> {
  const accountId = account === undefined ? undefined : (await accountStore.require(account)).id;
  return { accountId, keyId };
}

/**
 * Checks the key only when no request was found, because playground keys are deleted before their requests.
 */
async function requireKnownKey({ keyStore }: ListReceiptsContext, { keyId }: ReceiptOwner): Promise<void> {
  if (keyId === undefined || (await keyStore.find(keyId)) !== null) return;
  throw notFound(`there is no key ${keyId}`);
}

async function findCursorAfter(
  store: Pick<ReceiptListStore, 'cursorOf'>,
  { after }: ReceiptListRequest,
  signal: AbortSignal,
): Promise<RequestCursor | undefined> {
  if (after === undefined) return undefined;
  const cursor = await store.cursorOf(after, signal);
  if (cursor !== undefined) return cursor;
  throw invalidArgument(`there is no request ${after} to go on after`);
}

function cursorOf(row: SummaryRow | undefined): RequestCursor | undefined {
  return row && { endedAtMs: row.endedAt.getTime(), requestId: row.requestId };
}

function summaryMessage(row: SummaryRow, withCost: boolean) {
  const { latencyMs, timeToFirstTokenMs } = requestTimings(row.attempts);
  return {
    ...requestHeadMessage(row),
    billingReason: row.billingReason,
    cost: String(row.cost),
    charged: String(row.charged),
    ...omitAbsent({ serviceTier: row.serviceTier }),
    ...costMessage(row, withCost),
    latencyMs,
    ...omitAbsent({ timeToFirstTokenMs, providerId: row.attempts.at(-1)?.providerId }),
    ...clientStatusOf(row),
    ...labelsMessage(row),
  };
}

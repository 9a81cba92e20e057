import type { ListReceiptsRequestMessage } from '@model-gateway/contracts';
import type { AccountStore } from '../accounts/account-store.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { clientAnswer } from './client-answer.ts';
import { receiptListQuestion } from './receipt-list-question.ts';
import type { ReceiptListStore, ReceiptOwner, SummaryRow } from './receipt-list-store.ts';
import { requestHeadMessage } from './request-head-message.ts';
import { encodePlace, type PagePlace } from './request-page.ts';
import { requestTimings } from './request-timings.ts';

interface ListReceiptsContext {
  accountStore: Pick<AccountStore, 'require'>;
  keyStore: Pick<KeyStore, 'find'>;
  receiptListStore: Pick<ReceiptListStore, 'list' | 'lastLookedAt' | 'placeOf'>;
}

/**
 * Returns one page of an account's or key's requests, for operators. A page may be short or empty although
 * more follow; settlements between pages move no request.
 * @throws ControlPlaneError invalid_argument; not_found (account, key)
 */
export async function listReceipts(
  context: ListReceiptsContext,
  request: ListReceiptsRequestMessage,
  signal: AbortSignal,
) {
  const { receiptListStore: store } = context;
  const asked = receiptListQuestion(request);
  const owner = await ownerOf(context, request);
  const question = { ...asked, after: asked.after ?? (await placeAfter(store, request, signal)) };
  const rows = await store.list(owner, question, signal);
  const listed = rows.slice(0, question.limit);
  const next =
    rows.length > listed.length ? placeOf(listed.at(-1)) : await store.lastLookedAt(owner, question, signal);
  if (rows.length === 0 && question.after === undefined && next === undefined) {
    await requireKnownKey(context, owner);
  }
  return {
    receipts: listed.map(summaryMessage),
    ...(next === undefined ? {} : { nextPageToken: encodePlace(next) }),
  };
}

async function ownerOf(
  { accountStore }: ListReceiptsContext,
  { account, keyId }: ListReceiptsRequestMessage,
): Promise<ReceiptOwner> {
  if (account === undefined && keyId === undefined) {
    throw invalidArgument('name an account or a key');
  }
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

async function placeAfter(
  store: Pick<ReceiptListStore, 'placeOf'>,
  { after }: ListReceiptsRequestMessage,
  signal: AbortSignal,
): Promise<PagePlace | undefined> {
  if (after === undefined) return undefined;
  const place = await store.placeOf(after, signal);
  if (place !== undefined) return place;
  throw invalidArgument(`there is no request ${after} to go on after`);
}

function placeOf(row: SummaryRow | undefined): PagePlace | undefined {
  return row && { endedAtMs: row.endedAt.getTime(), requestId: row.requestId };
}

function summaryMessage(row: SummaryRow) {
  return {
    ...requestHeadMessage(row),
    billingReason: row.billingReason,
    cost: String(row.cost),
    charged: String(row.charged),
    latencyMs: requestTimings(row.attempts).latencyMs,
    ...clientAnswer(row),
  };
}

import type { KeyOwnerMessage } from '@model-gateway/contracts';
import { type ControlPlaneError, notFound } from '../errors/control-plane-error.ts';
import { namedKey } from '../keys/named-key.ts';
import { requireKeyOwner } from '../keys/require-key-owner.ts';
import { receiptMessage } from './receipt-message.ts';
import type { UsageStore } from './usage-store.ts';

/**
 * Returns the receipt of a request.
 * @param request.owner null: the caller may see every receipt
 * @throws ControlPlaneError invalid_argument; not_found, also for another owner's request
 */
export async function getReceipt(
  { usageStore }: { usageStore: Pick<UsageStore, 'receipt'> },
  { requestId, owner }: { requestId: string; owner: KeyOwnerMessage | null },
  signal: AbortSignal,
) {
  const viewer = owner === null ? undefined : requireKeyOwner(owner);
  const row = await usageStore.receipt(requestId, signal);
  const isOwn = viewer === undefined || (row?.accountId === viewer.accountId && row.seatId === viewer.seatId);
  if (row === undefined || !isOwn) throw noReceipt(requestId);
  return receiptMessage(row);
}

/** @throws ControlPlaneError not_found, also for another account's request */
export async function getHolderReceipt(
  { usageStore }: { usageStore: Pick<UsageStore, 'receipt'> },
  { accountId, requestId }: { accountId: string; requestId: string },
  signal: AbortSignal,
) {
  const row = await usageStore.receipt(requestId, signal);
  if (row?.accountId !== accountId) throw noReceipt(requestId);
  return { receipt: receiptMessage(row), ...namedKey(row) };
}

/** Same error for another owner's request, so that nobody learns that it exists. */
function noReceipt(requestId: string): ControlPlaneError {
  return notFound(
    `there is no receipt of ${requestId}: no provider got this request, ` +
      'or it has ended within the last seconds',
  );
}

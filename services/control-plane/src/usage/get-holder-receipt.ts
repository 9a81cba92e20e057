import { namedKey } from '../keys/named-key.ts';
import { noReceipt } from './no-receipt.ts';
import { receiptMessage } from './receipt-message.ts';
import type { UsageStore } from './usage-store.ts';

/** @throws ControlPlaneError not_found, also for another account's request */
export async function getHolderReceipt(
  { usageStore }: { usageStore: Pick<UsageStore, 'receipt'> },
  { accountId, requestId }: { accountId: string; requestId: string },
  signal: AbortSignal,
) {
  const row = await usageStore.receipt(requestId, signal);
  if (row?.accountId !== accountId) {
    throw noReceipt(requestId);
  }
  return { receipt: receiptMessage(row), ...namedKey(row) };
}

import type { KeyOwnerMessage } from '@model-gateway/contracts';
import { requireKeyOwner } from '../keys/require-key-owner.ts';
import { noReceipt } from './no-receipt.ts';
import { receiptMessage } from './receipt-message.ts';
import type { UsageStore } from './usage-store.ts';

/**
 * @param request.owner null: may see everything
 * @throws ControlPlaneError invalid_argument; not_found, also for another owner's request
 */
export async function getReceipt(
  { usageStore }: { usageStore: Pick<UsageStore, 'receipt'> },
  { requestId, owner }: { requestId: string; owner: KeyOwnerMessage | null },
  signal: AbortSignal,
) {
  const asker = owner === null ? undefined : requireKeyOwner(owner);
  const row = await usageStore.receipt(requestId, signal);
  const isTheirs = asker === undefined || (row?.accountId === asker.accountId && row.seatId === asker.seatId);
  if (row === undefined || !isTheirs) {
    throw noReceipt(requestId);
  }
  return receiptMessage(row);
}

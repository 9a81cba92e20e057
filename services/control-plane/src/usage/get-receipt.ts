import type { PayerMessage } from '@model-gateway/contracts';
import { payerOf } from '../billing/payer-of.ts';
import { noReceipt } from './no-receipt.ts';
import { receiptMessage } from './receipt-message.ts';
import type { UsageStore } from './usage-store.ts';

/**
 * @param request.payer the payer who asks; null: somebody who may see everything
 * @throws ControlPlaneError invalid_argument; not_found, also when the request belongs to another payer
 */
export async function getReceipt(
  { usageStore }: { usageStore: Pick<UsageStore, 'receipt'> },
  { requestId, payer }: { requestId: string; payer: PayerMessage | null },
  signal: AbortSignal,
) {
  const asker = payer === null ? undefined : payerOf(payer);
  const row = await usageStore.receipt(requestId, signal);
  const isTheirs = asker === undefined || (row?.accountId === asker.accountId && row.seatId === asker.seatId);
  if (row === undefined || !isTheirs) {
    throw noReceipt(requestId);
  }
  return receiptMessage(row);
}

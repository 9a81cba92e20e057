import type { PayerMessage } from '@model-gateway/contracts';
import { payerOf } from '../billing/payer-of.ts';
import { ControlPlaneError } from '../control-plane-error.ts';
import { unitsMessage } from './units-message.ts';
import type { ReceiptRow, UsageStore } from './usage-store.ts';

/**
 * @param request.payer who asks; null: somebody who may see everything
 * @throws ControlPlaneError invalid_argument; not_found also when the request is another payer's
 */
export async function getReceipt(
  { usageStore }: { usageStore: UsageStore },
  { requestId, payer }: { requestId: string; payer: PayerMessage | null },
) {
  const asker = payer === null ? undefined : payerOf(payer);
  const row = await usageStore.receipt(requestId);
  const isTheirs = asker === undefined || (row?.accountId === asker.accountId && row.seatId === asker.seatId);
  if (row === undefined || !isTheirs) {
    throw new ControlPlaneError('not_found', 'no such request was settled');
  }
  return receiptMessage(row);
}

function receiptMessage(row: ReceiptRow) {
  return {
    requestId: row.requestId,
    payer: {
      accountId: row.accountId,
      ...(row.seatId === null ? {} : { seatId: row.seatId }),
      ...(row.teamId === null ? {} : { teamId: row.teamId }),
    },
    keyId: row.keyId,
    modelId: row.modelId,
    capability: row.capability,
    endedAtMs: row.endedAt.getTime(),
    units: unitsMessage(row),
    ...(row.usageSource === null ? {} : { usageSource: row.usageSource }),
    ...(row.priceVersion === null ? {} : { priceVersion: row.priceVersion }),
    pricing: row.pricing ?? {},
    held: String(row.held),
    cost: String(row.cost),
    charged: String(row.charged),
    uncollected: String(row.uncollected),
    debits: row.debits,
    attempts: row.attempts.map(({ providerId, httpStatus, errorCode, durationMs }) => ({
      providerId,
      ...(httpStatus === null ? {} : { httpStatus }),
      ...(errorCode === null ? {} : { errorCode }),
      durationMs,
    })),
    billingReason: row.billingReason,
  };
}

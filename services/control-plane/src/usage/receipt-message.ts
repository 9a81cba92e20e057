import { clientAnswer } from './client-answer.ts';
import { requestHeadMessage } from './request-head-message.ts';
import type { ReceiptRow } from './usage-store.ts';

/** The receipt of a request, as gRPC carries it (proto/gateway/v1/billing.proto). */
export function receiptMessage(row: ReceiptRow) {
  return {
    ...requestHeadMessage(row),
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
    ...clientAnswer(row),
  };
}

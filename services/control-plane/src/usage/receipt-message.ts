import { clientAnswer } from './client-answer.ts';
import { unitsMessage } from './units-message.ts';
import type { ReceiptRow } from './usage-store.ts';

/** What one request came to, as gRPC carries it (proto/gateway/v1/billing.proto). */
export function receiptMessage(row: ReceiptRow) {
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
    ...clientAnswer(row),
  };
}

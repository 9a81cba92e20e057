import type { ReceiptMessage, ReceiptSummaryMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { isoTimestamp } from './timestamp.ts';
import { unitsJson } from './units.ts';
import { shortenUsd, usd } from './usd.ts';

type ReceiptSummaryJson = ReturnType<typeof receiptSummaryJson>;

/** A request in a list; `receipts show` has its details. `status`: what the caller got; null: unknown. */
export function receiptSummaryJson(receipt: ReceiptSummaryMessage) {
  return {
    ...requestJson(receipt),
    status: receipt.clientStatus ?? null,
    code: receipt.clientErrorCode ?? null,
    billing_reason: receipt.billingReason,
    units: unitsJson(receipt.units),
    cost_usd: usd(receipt.cost),
    settled_usd: usd(receipt.charged),
    latency_ms: receipt.latencyMs,
  };
}

/** Returns the first members of every receipt. */
export function requestJson(receipt: ReceiptSummaryMessage | ReceiptMessage) {
  return {
    request_id: receipt.requestId,
    account_id: receipt.owner?.accountId ?? '',
    seat_id: receipt.owner?.seatId ?? null,
    team_id: receipt.owner?.teamId ?? null,
    key_id: receipt.keyId,
    model: receipt.modelId,
    capability: receipt.capability,
    ended_at: isoTimestamp(receipt.endedAtMs),
    tags: receipt.tags,
    end_user: receipt.endUser ?? null,
    session: receipt.session ?? null,
  };
}

export function receiptSummaryTable(receipts: readonly ReceiptSummaryJson[]): string {
  return formatTable(
    ['ENDED', 'REQUEST', 'KEY', 'MODEL', 'STATUS', 'ENDING', 'MS', 'COST USD'],
    receipts.map((receipt) => [
      receipt.ended_at,
      receipt.request_id,
      receipt.key_id,
      receipt.model,
      [receipt.status, receipt.code].filter((part) => part !== null).join(' ') || '-',
      receipt.billing_reason,
      String(Math.round(receipt.latency_ms)),
      shortenUsd(receipt.cost_usd),
    ]),
  );
}

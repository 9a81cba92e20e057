import type { ReceiptMessage, ReceiptSummaryMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { MONEY_HEADER, moneyCells, moneyJson } from './money-json.ts';
import { isoTimestamp } from './timestamp.ts';
import { unitsJson } from './units.ts';
import { usd } from './usd.ts';

type ReceiptSummaryJson = ReturnType<typeof receiptSummaryJson>;

/** A request in a list; `receipts show` has its details. `status`: what the caller got; null: unknown. */
export function receiptSummaryJson(receipt: ReceiptSummaryMessage) {
  return {
    ...requestJson(receipt),
    status: receipt.clientStatus ?? null,
    code: receipt.clientErrorCode ?? null,
    billing_reason: receipt.billingReason,
    units: unitsJson(receipt.units),
    ...receiptMoneyJson(receipt),
    settled_usd: usd(receipt.charged),
    latency_ms: receipt.latencyMs,
  };
}

/** `cost_usd` is the provider's, without that of attempts whose responses were not used. */
export function receiptMoneyJson(receipt: ReceiptSummaryMessage | ReceiptMessage) {
  return {
    ...moneyJson(receipt.cost, receipt.providerCost),
    attempts_cost_usd: usd(receipt.attemptsCost ?? '0'),
    // Null: charged at the prices of the catalog.
    price_list_version: receipt.priceListVersion ?? null,
    // Null: the provider's standard one.
    service_tier: receipt.serviceTier ?? null,
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
    ['ENDED', 'REQUEST', 'KEY', 'MODEL', 'STATUS', 'ENDING', 'MS', ...MONEY_HEADER],
    receipts.map((receipt) => [
      receipt.ended_at,
      receipt.request_id,
      receipt.key_id,
      receipt.model,
      [receipt.status, receipt.code].filter((part) => part !== null).join(' ') || '-',
      receipt.billing_reason,
      String(Math.round(receipt.latency_ms)),
      ...moneyCells(receipt),
    ]),
  );
}

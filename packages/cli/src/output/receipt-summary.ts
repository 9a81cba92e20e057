import type { ReceiptSummaryMessage } from '@model-gateway/contracts';
import { formatTable } from './table.ts';
import { isoTimestamp } from './timestamp.ts';
import { type UnitsJson, unitsJson } from './units.ts';
import { shortUsd, usd } from './usd.ts';

/** A request in a list; `receipts show` has its details. */
export interface ReceiptSummaryJson {
  request_id: string;
  account_id: string;
  seat_id: string | null;
  team_id: string | null;
  key_id: string;
  model: string;
  capability: string;
  ended_at: string;
  /** The status that the caller got; null when it is not known. */
  status: number | null;
  code: string | null;
  billing_reason: string;
  units: UnitsJson;
  cost_usd: string;
  settled_usd: string;
  latency_ms: number;
}

export function receiptSummaryJson(receipt: ReceiptSummaryMessage): ReceiptSummaryJson {
  return {
    request_id: receipt.requestId,
    account_id: receipt.owner?.accountId ?? '',
    seat_id: receipt.owner?.seatId ?? null,
    team_id: receipt.owner?.teamId ?? null,
    key_id: receipt.keyId,
    model: receipt.modelId,
    capability: receipt.capability,
    ended_at: isoTimestamp(receipt.endedAtMs),
    status: receipt.clientStatus ?? null,
    code: receipt.clientErrorCode ?? null,
    billing_reason: receipt.billingReason,
    units: unitsJson(receipt.units),
    cost_usd: usd(receipt.cost),
    settled_usd: usd(receipt.charged),
    latency_ms: receipt.latencyMs,
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
      shortUsd(receipt.cost_usd),
    ]),
  );
}

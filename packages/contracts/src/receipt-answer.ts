import {
  affinity,
  billingReason,
  cachedInputShare,
  capability,
  displayUnits,
  filePricing,
  formatUsd,
  sellingPricing,
  type UsageReceipt,
  usageScope,
  usageSource,
} from '@model-gateway/shared';
import { budgetOfWindowId } from '@model-gateway/shared/rules';
import type {
  ReceiptAttemptMessage,
  ReceiptMessage,
  ReceiptPartMessage,
  UnitsMessage,
} from './generated/messages.ts';

/** A receipt as it is sent or received, without the times that callers do not get. */
type AnsweredReceipt = Omit<ReceiptMessage, 'arrivedAtMs' | 'attempts' | 'endedAtMs' | 'settledAtMs'> & {
  endedAtMs: string | number;
  attempts: readonly Omit<ReceiptAttemptMessage, 'estimatedUnits' | 'startedAtMs'>[];
};

/** Converts the control plane's receipt to that of docs/endpoints.md, "GET /v1/usage". */
export function receiptAnswer(receipt: AnsweredReceipt): UsageReceipt {
  const isPaid = receipt.priceVersion !== undefined;
  const units = unitsAnswer(receipt.units);
  const { service_tiers: services, tiers, ...prices } = sellingPricing.parse(filePricing(receipt.pricing));
  return {
    object: 'usage.receipt',
    request_id: receipt.requestId,
    created: Math.floor(Number(receipt.endedAtMs) / 1_000),
    model: receipt.modelId,
    capability: capability.parse(receipt.capability),
    tier: isPaid ? 'paid' : 'free',
    status: receipt.clientStatus ?? null,
    code: receipt.clientErrorCode ?? null,
    units,
    usage_source: receipt.usageSource === undefined ? null : usageSource.parse(receipt.usageSource),
    price_version: receipt.priceVersion ?? null,
    pricing: isPaid ? prices : null,
    ...(isPaid && tiers !== undefined ? { pricing_tiers: tiers } : {}),
    ...(isPaid && services !== undefined ? { pricing_service_tiers: services } : {}),
    ...(receipt.serviceTier === undefined ? {} : { service_tier: receipt.serviceTier }),
    ...unpricedAnswer(receipt),
    ...(receipt.parts.length === 0 ? {} : { parts: receipt.parts.map(partAnswer) }),
    held_usd: formatUsd(BigInt(receipt.held)),
    settled_usd: formatUsd(BigInt(receipt.charged)),
    uncollected_usd: formatUsd(BigInt(receipt.uncollected)),
    pools: receipt.debits.map(({ poolId, name, scope, amount }) => ({
      id: poolId,
      name,
      scope: usageScope.parse(scope),
      debited_usd: formatUsd(BigInt(amount)),
    })),
    attempts: receipt.attempts.map(({ providerId, modelId, httpStatus, errorCode, error, durationMs }) => ({
      provider: providerId,
      model: modelId ?? receipt.modelId,
      status: httpStatus ?? null,
      code: errorCode ?? null,
      error: error ?? null,
      duration_ms: durationMs,
    })),
    billing_reason: billingReason.parse(receipt.billingReason),
    tags: receipt.tags,
    end_user: receipt.endUser ?? null,
    session: receipt.session ?? null,
    affinity: receipt.affinity === undefined ? null : affinity.parse(receipt.affinity),
    cached_input_share: cachedInputShare(units),
    rules_checked: receipt.budgets.map((budget) => budgetOfWindowId(budget).budgetId),
  };
}

function partAnswer(part: ReceiptPartMessage) {
  return {
    model: part.modelId,
    price_version: part.priceVersion ?? null,
    units: unitsAnswer(part.units),
    cost_usd: formatUsd(BigInt(part.cost)),
    ...unpricedAnswer(part),
  };
}

function unpricedAnswer({ unpriced }: Pick<ReceiptPartMessage, 'unpriced'>) {
  return unpriced.length === 0 ? {} : { unpriced };
}

export function unitsAnswer(units: UnitsMessage | null) {
  if (units === null) throw new Error('the control plane sent no units');
  return displayUnits('json', units);
}

import type { HolderReceiptMessage } from '@model-gateway/contracts';
import { displayUnits, formatUsd, NO_UNITS } from '@model-gateway/shared';
import { budgetOfWindowId } from '@model-gateway/shared/rules';
import { type ReceiptResponse, receiptResponse } from '../../wire/receipts.ts';

const { billingReason, keyKind: kindOfKey } = receiptResponse.shape;

export function toReceiptResponse({ receipt, keyName, keyKind }: HolderReceiptMessage): ReceiptResponse {
  if (receipt === null) throw new Error('the control plane sent a receipt without a receipt');
  return {
    requestId: receipt.requestId,
    endedAtMs: Number(receipt.endedAtMs),
    model: receipt.modelId,
    capability: receipt.capability,
    keyId: receipt.keyId,
    keyName,
    keyKind: kindOfKey.parse(keyKind),
    teamId: receipt.owner?.teamId ?? null,
    tags: receipt.tags,
    endUser: receipt.endUser ?? null,
    session: receipt.session ?? null,
    affinity: receipt.affinity ?? null,
    budgets: receipt.budgets.map((id) => budgetOfWindowId(id).budgetId),
    units: displayUnits('shown', receipt.units ?? NO_UNITS),
    usageSource: receipt.usageSource ?? null,
    billingReason: billingReason.parse(receipt.billingReason),
    status: receipt.clientStatus ?? null,
    errorCode: receipt.clientErrorCode ?? null,
    priceVersion: receipt.priceVersion ?? null,
    ...(receipt.serviceTier === undefined ? {} : { serviceTier: receipt.serviceTier }),
    pricing: receipt.pricing,
    unpriced: receipt.unpriced,
    parts: receipt.parts.map(({ modelId, units, cost }) => ({
      model: modelId,
      units: displayUnits('shown', units ?? NO_UNITS),
      costUsd: formatUsd(BigInt(cost)),
    })),
    heldUsd: formatUsd(BigInt(receipt.held)),
    costUsd: formatUsd(BigInt(receipt.cost)),
    chargedUsd: formatUsd(BigInt(receipt.charged)),
    uncollectedUsd: formatUsd(BigInt(receipt.uncollected)),
    debits: receipt.debits.map(({ poolId, name, scope, amount }) => ({
      poolId,
      name,
      scope,
      amountUsd: formatUsd(BigInt(amount)),
    })),
    arrivedAtMs: timeOf(receipt.arrivedAtMs),
    settledAtMs: timeOf(receipt.settledAtMs),
    attempts: receipt.attempts.map((attempt) => ({
      provider: attempt.providerId,
      model: attempt.modelId ?? receipt.modelId,
      httpStatus: attempt.httpStatus ?? null,
      errorCode: attempt.errorCode ?? null,
      error: attempt.error ?? null,
      startedAtMs: timeOf(attempt.startedAtMs),
      durationMs: attempt.durationMs,
      timeToFirstTokenMs: attempt.timeToFirstTokenMs ?? null,
    })),
  };
}

function timeOf(ms: string | undefined): number | null {
  return ms === undefined ? null : Number(ms);
}

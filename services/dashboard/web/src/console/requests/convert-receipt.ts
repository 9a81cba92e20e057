import { perUnit } from '@model-gateway/shared/units';
import type { Receipt } from '../../../../wire/management.ts';
import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { describeAttempt, describeResponse } from '../../pages/receipt/describe-receipt.ts';
import type { TimedReceipt } from '../../pages/receipt/timeline-steps.ts';

/** Converts a receipt of the management API to the form of an account's own pages: the cost is the charge. */
export function convertReceipt(receipt: Receipt): ReceiptResponse {
  return {
    requestId: receipt.id,
    endedAtMs: Date.parse(receipt.ended_at),
    model: receipt.model,
    capability: receipt.capability,
    keyId: receipt.key_id,
    keyName: receipt.key_name ?? receipt.key_id,
    keyKind: 'issued',
    teamId: receipt.team_id,
    tags: receipt.tags,
    endUser: receipt.end_user,
    session: receipt.session,
    affinity: receipt.affinity,
    budgets: receipt.rules_checked,
    units: shownUnits(receipt.units),
    usageSource: receipt.usage_source,
    billingReason: receipt.billing_reason,
    status: receipt.status,
    errorCode: receipt.code,
    priceVersion: receipt.price_version,
    ...(receipt.service_tier === null ? {} : { serviceTier: receipt.service_tier }),
    pricing: receipt.pricing,
    unpriced: receipt.unpriced ?? [],
    parts: (receipt.parts ?? []).map(({ charged_usd, cost_usd, model, units }) => ({
      model,
      units: shownUnits(units),
      costUsd: charged_usd ?? cost_usd,
    })),
    heldUsd: receipt.held_usd,
    costUsd: receipt.charged_usd ?? receipt.cost_usd,
    chargedUsd: receipt.settled_usd,
    uncollectedUsd: receipt.uncollected_usd,
    arrivedAtMs: timeOf(receipt.arrived_at),
    settledAtMs: Date.parse(receipt.settled_at),
    debits: receipt.pools.map(({ debited_usd, id, name, scope }) => ({
      ...{ poolId: id, name, scope },
      amountUsd: debited_usd,
    })),
    attempts: receipt.attempts.map(convertAttempt),
  };
}

/** Returns the timeline of a receipt with the words for operators. */
export function timedForOperators(receipt: Receipt): TimedReceipt {
  const converted = convertReceipt(receipt);
  const attempts = receipt.attempts.map((attempt) => {
    const inCallersWords = convertAttempt(attempt);
    const error = attempt.operator_error ?? attempt.error;
    return {
      ...inCallersWords,
      credential: attempt.credential_env ?? undefined,
      outcome: describeAttempt({ ...inCallersWords, error }),
      unusedUsd: attempt.estimated_cost_usd ?? undefined,
      providerRequestId: attempt.provider_request_id ?? undefined,
    };
  });
  return {
    ...converted,
    attempts,
    operatorMoney: operatorMoneyOf(receipt),
    response: describeResponse(converted, 'the caller had disconnected'),
  };
}

/** Returns what only operators see; undefined: an older control plane. */
function operatorMoneyOf({
  attempts_cost_usd: unusedUsd = '0',
  cost_usd: costUsd,
  margin_usd: marginUsd,
}: Receipt) {
  return marginUsd === undefined ? undefined : { costUsd, marginUsd, unusedUsd };
}

function convertAttempt(attempt: Receipt['attempts'][number]): ReceiptResponse['attempts'][number] {
  return {
    provider: attempt.provider,
    model: attempt.model,
    httpStatus: attempt.status,
    errorCode: attempt.code,
    error: attempt.error,
    startedAtMs: timeOf(attempt.started_at),
    durationMs: attempt.duration_ms,
    timeToFirstTokenMs: attempt.time_to_first_token_ms,
  };
}

function shownUnits(units: Receipt['units']): ReceiptResponse['units'] {
  return perUnit('shown', ({ json }) => units[json]);
}

function timeOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}

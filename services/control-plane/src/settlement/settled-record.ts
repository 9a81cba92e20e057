import {
  costOf,
  costOfParts,
  NO_UNITS,
  type Price,
  resolvePayer,
  type Units,
  unitColumnsOf,
  unpricedUnits,
} from '@model-gateway/shared';
import type { ReportedRequest } from './reported-request.ts';

/** The longest window that figures are shown for, plus an hour. */
export const KEEP_MS = 25 * 3_600_000;

/** Consumption of one model; price undefined: free. */
export type PricedPart = ReportedRequest['parts'][number] & { price: Price | undefined };

export interface SettledPrices {
  /** Undefined: free of charge. */
  price: Price | undefined;
  parts: readonly PricedPart[];
}

/** Fields that decide the cost. Other clamped fields do not change it. */
const COST_FIELDS = ['price_version', 'units', 'parts', 'held'];

/**
 * Prices a request for storage.
 * @param nowMs caps end times from a clock that is ahead; ends more than 25 h ago (clock behind, long outage)
 *   count as 25 h ago
 */
export function priceRequest(request: ReportedRequest, prices: SettledPrices, nowMs: number) {
  const { owner, attempts } = request;
  const { parts } = prices;
  const isClamped = COST_FIELDS.some((field) => request.clampedFields.has(field));
  const isEstimated = isClamped && request.units !== null;
  const units = request.units ?? NO_UNITS;
  const endedAtMs = Math.max(nowMs - KEEP_MS, Math.min(request.endedAtMs, nowMs));
  return {
    requestId: request.requestId,
    payer: resolvePayer(owner),
    ...owner,
    keyId: request.keyId,
    modelId: request.modelId,
    capability: request.capability,
    priceVersion: request.priceVersion,
    ...units,
    parts: parts.length === 0 ? undefined : parts.map(storedPart),
    usageSource: isEstimated ? 'estimated' : request.usageSource,
    billingReason: isEstimated && request.billingReason === 'completed' ? 'estimated' : request.billingReason,
    held: String(request.held),
    cost: String(isClamped ? clampedCost(request, prices) : costOfAll(units, prices)),
    allowanceId: request.allowanceId,
    attempts: attempts.map(
      ({ credentialEnv, error, errorCode, httpStatus, latencyMs, modelId, operatorError, ...attempt }) => ({
        providerId: attempt.providerId,
        modelId,
        httpStatus: httpStatus ?? null,
        errorCode: errorCode ?? null,
        durationMs: Math.round(latencyMs),
        endedAtMs: attempt.endedAtMs,
        timeToFirstTokenMs:
          attempt.timeToFirstTokenMs === undefined ? null : Math.round(attempt.timeToFirstTokenMs),
        credentialEnv,
        error,
        operatorError,
      }),
    ),
    endedAt: new Date(endedAtMs).toISOString(),
    clientStatus: request.clientStatus,
    clientErrorCode: request.clientErrorCode,
    tags: request.tags,
    endUser: request.endUser,
    session: request.session,
    affinity: request.affinity,
    budgets: request.budgets,
    followed: request.followed,
  };
}

/** Charges at most the hold, and the whole hold if a price or a part is missing. */
function clampedCost({ held, clampedFields, units }: ReportedRequest, prices: SettledPrices): bigint {
  if (units === null) return 0n;
  if (clampedFields.has('price_version') || clampedFields.has('parts')) return held;
  const cost = costOfAll(units, prices);
  return held > 0n && cost > held ? held : cost;
}

function costOfAll(units: Units, { price, parts }: SettledPrices): bigint {
  if (parts.length > 0) return costOfParts(parts.filter(hasPrice));
  return price === undefined ? 0n : costOf(units, price);
}

function hasPrice(part: PricedPart): part is PricedPart & { price: Price } {
  return part.price !== undefined;
}

function storedPart({ modelId, priceVersion, units, price }: PricedPart) {
  return {
    modelId,
    priceVersion: priceVersion ?? null,
    units,
    cost: String(price === undefined ? 0n : costOf(units, price)),
    unpriced: price === undefined ? [] : unitColumnsOf(unpricedUnits(units, price)),
  };
}

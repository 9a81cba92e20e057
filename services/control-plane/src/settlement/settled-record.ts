import {
  costOf,
  costOfParts,
  NO_UNITS,
  type Price,
  type PriceListVersion,
  priceAtTier,
  resolvePayer,
  type Units,
  unpricedColumns,
} from '@model-gateway/shared';
import type { ReportedRequest } from './reported-request.ts';

/** The longest window that figures are shown for, plus an hour. */
export const KEEP_MS = 25 * 3_600_000;

/** Consumption of one model, at the provider's price; undefined: free. */
export type PricedPart = ReportedRequest['parts'][number] & { price: Price | undefined };

export interface SettledPrices {
  /** The provider's price; undefined: free of charge. */
  price: Price | undefined;
  parts: readonly PricedPart[];
  /** Undefined: charged at the provider's prices. */
  list: PriceListVersion | undefined;
}

/** Fields that decide the cost. Other clamped fields do not change it. */
const COST_FIELDS = ['price_version', 'price_list_version', 'units', 'parts', 'held'];

/** Fields without which there is no price. */
const UNPRICEABLE = ['price_version', 'price_list_version', 'parts'];

/**
 * Prices a request for storage.
 * @param nowMs caps end times from a clock that is ahead; ends more than 25 h ago (clock behind, long outage)
 *   count as 25 h ago
 */
export function priceRequest(request: ReportedRequest, prices: SettledPrices, nowMs: number) {
  const { owner, attempts } = request;
  const { serviceTier } = request;
  const { list } = prices;
  const sold = atTier(sellingPrices(request.modelId, prices), serviceTier);
  const atCost = atTier(prices, serviceTier);
  const attemptsCost = attempts.reduce((sum, { estimatedCost = 0n }) => sum + estimatedCost, 0n);
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
    priceListVersion: request.priceListVersion,
    serviceTier: request.serviceTier,
    ...units,
    parts:
      sold.parts.length === 0
        ? undefined
        : sold.parts.map((part, index) =>
            storedPart(part, {
              base: prices.parts[index]?.price,
              cost: list && atCost.parts[index]?.price,
              serviceTier,
            }),
          ),
    usageSource: isEstimated ? 'estimated' : request.usageSource,
    billingReason: isEstimated && request.billingReason === 'completed' ? 'estimated' : request.billingReason,
    held: String(request.held),
    cost: String(isClamped ? clampedCost(request, sold) : costOfAll(units, sold)),
    providerCost: list === undefined ? undefined : String(costOfAll(units, atCost)),
    attemptsCost: attemptsCost === 0n ? undefined : String(attemptsCost),
    allowanceId: request.allowanceId,
    attempts: attempts.map(
      ({ credentialEnv, error, errorCode, httpStatus, latencyMs, modelId, operatorError, ...attempt }) => ({
        estimatedUnits: attempt.estimatedUnits,
        estimatedCost: attempt.estimatedCost === undefined ? undefined : String(attempt.estimatedCost),
        providerRequestId: attempt.providerRequestId,
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

/** What the payer is charged. */
type SoldPrices = Pick<SettledPrices, 'price' | 'parts'>;

function sellingPrices(modelId: string, { list, parts, price }: SettledPrices): SoldPrices {
  if (list === undefined) return { price, parts };
  return {
    price: price && list.sellingPrice(modelId, price),
    parts: parts.map((part) => ({
      ...part,
      price: part.price && list.sellingPrice(part.modelId, part.price),
    })),
  };
}

/** Returns the prices of requests at a service tier. */
function atTier({ parts, price }: SoldPrices, tier: string | undefined): SoldPrices {
  return {
    price: price && priceAtTier(price, tier),
    parts: parts.map((part) => ({ ...part, price: part.price && priceAtTier(part.price, tier) })),
  };
}

/** Charges at most the hold, and the whole hold if a price or a part is missing. */
function clampedCost({ held, clampedFields, units }: ReportedRequest, prices: SoldPrices): bigint {
  if (units === null) return 0n;
  if (UNPRICEABLE.some((field) => clampedFields.has(field))) return held;
  const cost = costOfAll(units, prices);
  return held > 0n && cost > held ? held : cost;
}

function costOfAll(units: Units, { price, parts }: SoldPrices): bigint {
  if (parts.length > 0) return costOfParts(parts.filter(hasPrice));
  return price === undefined ? 0n : costOf(units, price);
}

function hasPrice(part: PricedPart): part is PricedPart & { price: Price } {
  return part.price !== undefined;
}

interface PartPrices {
  /** The provider's price without a service tier; undefined: free. */
  base: Price | undefined;
  /** The provider's price at the service tier; undefined: the same as the selling price, or free. */
  cost: Price | undefined;
  serviceTier: string | undefined;
}

function storedPart(
  { modelId, priceVersion, units, price }: PricedPart,
  { base, cost, serviceTier }: PartPrices,
) {
  return {
    modelId,
    priceVersion: priceVersion ?? null,
    units,
    cost: String(price === undefined ? 0n : costOf(units, price)),
    ...(cost && { providerCost: String(costOf(units, cost)) }),
    unpriced: base === undefined ? [] : unpricedColumns(units, base, serviceTier),
  };
}

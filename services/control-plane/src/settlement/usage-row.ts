import { costOf, costOfParts, NO_UNITS, type Price, UNITS, type Units } from '@model-gateway/shared';
import type { SettledRequest } from './settled-request.ts';
import { type PricedPart, storedPart } from './stored-part.ts';

/** The longest window that figures are shown for, plus an hour. */
export const KEEP_MS = 25 * 3_600_000;

/**
 * A usage record in the form that the SQL function settle_usage takes. Nano-USD are strings, because JSON
 * would round them. Units that are 0 and what is null are left out: of sixteen units a request uses two or
 * three, and Postgres has to read every member of every record.
 */
export type UsageRow = ReturnType<typeof usageRow>;

/** The prices of the versions that a request and its parts name. */
export interface SettledPrices {
  /** Undefined: free of charge. */
  price: Price | undefined;
  parts: readonly PricedPart[];
}

/**
 * @param nowMs a request that seems to have ended later, because a clock is ahead, counts as ended now; one
 *   that ended more than 25 h ago, because a clock is behind or after a long outage, counts as ended 25 h ago
 */
export function usageRow(request: SettledRequest, { price, parts }: SettledPrices, nowMs: number) {
  const { payer, attempts } = request;
  const units = request.units ?? NO_UNITS;
  const cost = costOfAll(units, price, parts);
  const endedAtMs = Math.max(nowMs - KEEP_MS, Math.min(attempts.at(-1)?.endedAtMs ?? nowMs, nowMs));
  return {
    requestId: request.requestId,
    accountId: payer.accountId,
    seatId: payer.seatId,
    teamId: payer.teamId,
    keyId: request.keyId,
    modelId: request.modelId,
    capability: request.capability,
    priceVersion: request.priceVersion,
    ...usedUnits(units),
    parts: parts.length === 0 ? undefined : parts.map(storedPart),
    usageSource: request.usageSource || undefined,
    billingReason: request.billingReason,
    held: String(request.held),
    cost: String(cost),
    allowanceId: request.allowanceId,
    attempts: attempts.map(
      ({ credentialEnv, errorCode, httpStatus, latencyMs, modelId, providerId, timeToFirstTokenMs }) => ({
        providerId,
        modelId,
        httpStatus: httpStatus ?? null,
        errorCode: errorCode ?? null,
        durationMs: Math.round(latencyMs),
        timeToFirstTokenMs: timeToFirstTokenMs === undefined ? null : Math.round(timeToFirstTokenMs),
        credentialEnv,
      }),
    ),
    endedAt: new Date(endedAtMs).toISOString(),
    clientStatus: request.clientStatus,
    clientErrorCode: request.clientErrorCode,
  };
}

function usedUnits(units: Units): Partial<Units> {
  const used: Partial<Units> = {};
  for (const { unit } of UNITS) if (units[unit] !== 0) used[unit] = units[unit];
  return used;
}

function costOfAll(units: Units, price: Price | undefined, parts: readonly PricedPart[]): bigint {
  if (parts.length > 0) return costOfParts(parts.filter(hasPrice));
  return price === undefined ? 0n : costOf(units, price);
}

function hasPrice(part: PricedPart): part is PricedPart & { price: Price } {
  return part.price !== undefined;
}

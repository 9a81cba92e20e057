import { costOf, NO_UNITS, type Price } from '@model-gateway/shared';
import type { SettledRequest } from './settled-request.ts';

/** The longest window that figures are shown for, plus an hour. */
export const KEEP_MS = 25 * 3_600_000;

/**
 * A usage record in the form that the SQL function settle_usage takes. Nano-USD are strings, because JSON
 * would round them.
 */
export type UsageRow = ReturnType<typeof usageRow>;

/**
 * @param price the price of the version that the request names; undefined: free of charge
 * @param nowMs a request that seems to have ended later, because a clock is ahead, counts as ended now; one
 *   that ended more than 25 h ago, because a clock is behind or after a long outage, counts as ended 25 h ago
 */
export function usageRow(request: SettledRequest, price: Price | undefined, nowMs: number) {
  const { payer, attempts } = request;
  const units = request.units ?? NO_UNITS;
  const cost = price === undefined ? 0n : costOf(units, price);
  const endedAtMs = Math.max(nowMs - KEEP_MS, Math.min(attempts.at(-1)?.endedAtMs ?? nowMs, nowMs));
  return {
    requestId: request.requestId,
    accountId: payer.accountId,
    seatId: payer.seatId ?? null,
    teamId: payer.teamId ?? null,
    keyId: request.keyId,
    modelId: request.modelId,
    capability: request.capability,
    priceVersion: request.priceVersion ?? null,
    ...units,
    usageSource: request.usageSource || null,
    billingReason: request.billingReason,
    held: String(request.held),
    cost: String(cost),
    allowanceId: request.allowanceId ?? null,
    attempts: attempts.map(({ providerId, httpStatus, errorCode, latencyMs, timeToFirstTokenMs }) => ({
      providerId,
      httpStatus: httpStatus ?? null,
      errorCode: errorCode ?? null,
      durationMs: Math.round(latencyMs),
      timeToFirstTokenMs: timeToFirstTokenMs === undefined ? null : Math.round(timeToFirstTokenMs),
    })),
    endedAt: new Date(endedAtMs).toISOString(),
    clientStatus: request.clientStatus ?? null,
    clientErrorCode: request.clientErrorCode ?? null,
  };
}

import type { Usage } from '@model-gateway/dialects';
import { addUnits, NO_UNITS } from '@model-gateway/shared';
import { type Charge, modelOf, type RequestRecord, type UpstreamAttempt } from '../request-record.ts';
import type { BillingReason, SettledAttempt, SettledRequest } from './settled-request.ts';

const MAX_ATTEMPTS = 100;
/** Bounds a record: only this many attempts, the last ones, keep the provider's words. */
const MAX_REPORTS = 8;

/**
 * Builds the settlement record of a request.
 * @param charge usage and outcome so far
 * @returns undefined for a request that was refused
 */
export function settledRequestOf(record: RequestRecord, charge: Charge): SettledRequest | undefined {
  const { attempts, hold, key, trace } = record;
  const model = modelOf(record);
  if (!record.isServed || key === undefined || model === undefined) return undefined;
  const used = charge.usage && settledUnits(charge.usage);
  return {
    requestId: record.id,
    modelId: model.id,
    capability: model.capability,
    owner: { accountId: key.accountId, seatId: key.seatId, teamId: key.teamId },
    keyId: key.keyId,
    priceVersion: model.price?.version,
    priceListVersion: model.price?.list?.number,
    units: used?.units,
    parts: used?.parts,
    isClamped: used?.isClamped,
    serviceTier: used?.serviceTier,
    usageSource: charge.usage?.source ?? '',
    billingReason: record.cachedFrom !== undefined ? 'cache_hit' : billingReason(charge),
    held: hold?.nanoUsd ?? 0n,
    allowanceId: hold?.allowance.id,
    clientStatus: record.clientStatus,
    clientErrorCode: record.clientErrorCode,
    tags: record.tags,
    endUser: record.endUser,
    session: record.session,
    affinity: record.affinity,
    budgets: record.budgets,
    traceparent: trace?.isSampled ? trace.traceparent(trace.spanId) : undefined,
    endedAtMs: performance.timeOrigin + (attempts.at(-1)?.endedAtMs ?? performance.now()),
    attempts: limitAttempts(attempts).map((attempt, index, all) =>
      settledAttempt(attempt, all[index + 1], {
        requestModelId: model.id,
        hasReport: index >= all.length - MAX_REPORTS,
        // The usage that is charged is that of the last attempt.
        isCharged: charge.usage !== undefined && index === all.length - 1,
      }),
    ),
  };
}

/**
 * Keeps the last attempts: the control plane accepts no more. Only many refused credentials cause that many.
 */
function limitAttempts(attempts: UpstreamAttempt[]): UpstreamAttempt[] {
  return attempts.length > MAX_ATTEMPTS ? attempts.slice(-MAX_ATTEMPTS) : attempts;
}

export function settledUnits(
  usage: Usage,
): Pick<SettledRequest, 'units' | 'parts' | 'isClamped' | 'serviceTier'> {
  const { isClamped, parts, serviceTier } = usage;
  if (parts === undefined) return { units: usage, isClamped, serviceTier };
  return {
    isClamped,
    serviceTier,
    units: parts.reduce((sum, { units }) => addUnits(sum, units), NO_UNITS),
    parts: parts.map(({ model: { id, price }, units }) => ({
      modelId: id,
      priceVersion: price?.version,
      units,
    })),
  };
}

export function billingReason({ outcome, usage }: Charge): BillingReason {
  const providerFailed = outcome === 'failed' || outcome === 'rejected';
  if (usage === undefined && providerFailed) return 'upstream_failed_free';
  if (usage === undefined || outcome !== 'completed') return 'aborted_partial';
  return usage.source === 'estimated' ? 'estimated' : 'completed';
}

function settledAttempt(
  attempt: UpstreamAttempt,
  next: UpstreamAttempt | undefined,
  {
    hasReport,
    isCharged,
    requestModelId,
  }: { requestModelId: string; hasReport: boolean; isCharged: boolean },
): SettledAttempt {
  const { firstByteAtMs, modelId, startedAtMs, streamed } = attempt;
  const report = hasReport ? attempt.report : undefined;
  const endedAtMs = attempt.endedAtMs ?? performance.now();
  const isCompleted = attempt.outcome === 'completed' || isRetriedWithOtherCredential(attempt, next);
  return {
    providerId: attempt.providerId,
    modelId: modelId === requestModelId ? undefined : modelId,
    outcome: isCompleted ? 'completed' : (attempt.verdict?.health ?? 'cut'),
    latencyMs: endedAtMs - startedAtMs,
    timeToFirstTokenMs: streamed && firstByteAtMs !== undefined ? firstByteAtMs - startedAtMs : undefined,
    endedAtMs: performance.timeOrigin + endedAtMs,
    httpStatus: attempt.httpStatus,
    errorCode: attempt.errorCode,
    silentMs: attempt.silentMs,
    streamed,
    credentialEnv: attempt.credentialEnv,
    providerRequestId: attempt.providerRequestId,
    error: report?.caller,
    operatorError: report?.operator,
    estimatedUnits: isCharged ? undefined : attempt.estimatedUnits,
    estimatedCost: isCharged ? undefined : attempt.estimatedCost,
  };
}

/**
 * Returns true if the next attempt used another credential of the same provider: not a failure of the
 * provider.
 */
function isRetriedWithOtherCredential(
  { modelId, providerId, verdict }: UpstreamAttempt,
  next: UpstreamAttempt | undefined,
): boolean {
  return verdict?.credential !== undefined && next?.providerId === providerId && next.modelId === modelId;
}

import type { Usage } from '@model-gateway/dialects';
import { addUnits, NO_UNITS, type ProviderReport } from '@model-gateway/shared';
import { keyOwner } from '../keys/key-context.ts';
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
  const { attempts, clientErrorCode, clientStatus, hold, isServed, key } = record;
  const { usage } = charge;
  const model = modelOf(record);
  if (!isServed || key === undefined || model === undefined) return undefined;
  return {
    requestId: record.id,
    modelId: model.id,
    capability: model.capability,
    owner: keyOwner(key),
    keyId: key.keyId,
    ...(model.price === undefined ? {} : { priceVersion: model.price.version }),
    ...(usage === undefined ? {} : settledUnits(usage)),
    usageSource: usage?.source ?? '',
    billingReason: billingReason(charge),
    held: hold?.nanoUsd ?? 0n,
    ...(hold === undefined ? {} : { allowanceId: hold.allowance.id }),
    ...(clientStatus === undefined ? {} : { clientStatus }),
    ...(clientErrorCode === undefined ? {} : { clientErrorCode }),
    ...labelsOf(record),
    endedAtMs: performance.timeOrigin + (attempts.at(-1)?.endedAtMs ?? performance.now()),
    attempts: limitAttempts(attempts).map((attempt, index, all) => ({
      ...settledAttempt(attempt, all[index + 1], model.id),
      ...(attempt.report === undefined || index < all.length - MAX_REPORTS
        ? {}
        : settledReport(attempt.report)),
    })),
  };
}

function labelsOf({ affinity, budgets, endUser, session, tags }: RequestRecord) {
  return {
    ...(tags === undefined ? {} : { tags }),
    ...(endUser === undefined ? {} : { endUser }),
    ...(session === undefined ? {} : { session }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(budgets === undefined ? {} : { budgets }),
  };
}

/**
 * Keeps the last attempts: the control plane accepts no more. Only many refused credentials cause that many.
 */
function limitAttempts(attempts: UpstreamAttempt[]): UpstreamAttempt[] {
  return attempts.length > MAX_ATTEMPTS ? attempts.slice(-MAX_ATTEMPTS) : attempts;
}

export function settledUnits(usage: Usage): Pick<SettledRequest, 'units' | 'parts' | 'isClamped'> {
  const isClamped = usage.isClamped === true ? { isClamped: true as const } : {};
  if (usage.parts === undefined) return { units: usage, ...isClamped };
  return {
    ...isClamped,
    units: usage.parts.reduce((sum, { units }) => addUnits(sum, units), NO_UNITS),
    parts: usage.parts.map(({ model: { id, price }, units }) => ({
      modelId: id,
      ...(price === undefined ? {} : { priceVersion: price.version }),
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
  requestModelId: string,
): SettledAttempt {
  const {
    credentialEnv,
    providerId,
    modelId = requestModelId,
    outcome,
    verdict,
    startedAtMs,
    firstByteAtMs,
    httpStatus,
    errorCode,
    silentMs,
    streamed,
  } = attempt;
  const endedAtMs = attempt.endedAtMs ?? performance.now();
  const isCompleted = outcome === 'completed' || isRetriedWithOtherCredential(attempt, next);
  return {
    providerId,
    ...(modelId === requestModelId ? {} : { modelId }),
    outcome: isCompleted ? 'completed' : (verdict?.health ?? 'cut'),
    latencyMs: endedAtMs - startedAtMs,
    ...(streamed && firstByteAtMs !== undefined ? { timeToFirstTokenMs: firstByteAtMs - startedAtMs } : {}),
    endedAtMs: performance.timeOrigin + endedAtMs,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(silentMs === undefined ? {} : { silentMs }),
    streamed,
    ...(credentialEnv === undefined ? {} : { credentialEnv }),
  };
}

function settledReport({
  caller,
  operator,
}: ProviderReport): Pick<SettledAttempt, 'error' | 'operatorError'> {
  return { error: caller, ...(operator === undefined ? {} : { operatorError: operator }) };
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

import {
  type Admission,
  type CountedAs,
  hashTagOf,
  type LimitClass,
  type Limiter,
  policiesOf,
  type Refused,
  type RequestPolicyName,
  type RunningLimiter,
  setRateLimitHeaders,
  streamsOf,
  type TokenEstimate,
} from '@model-gateway/limits';
import { GatewayError } from '@model-gateway/shared';
import {
  keyRevoked,
  keysUncheckable,
  requestLimitReached,
  streamLimitReached,
  tokenLimitReached,
} from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { KeyContext } from '../keys/key-context.ts';
import { limitsOf } from '../limits/policies.ts';
import type { StreamLeases } from '../limits/stream-leases.ts';
import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';

export interface AdmitContext {
  limiter: Limiter;
  streamLeases: StreamLeases;
  metrics: Pick<DataPlaneMetrics, 'admissions'>;
}

export interface AdmitRequest {
  limitClass: CountedAs;
  /** True if it holds a stream slot of the key until its response has ended. */
  takesStream: boolean;
  /** Estimates its tokens. Called only if a limit of tokens applies. */
  estimateTokens?: () => TokenEstimate;
}

/** Statuses of requests that count as reads when the gateway refuses them, to limit floods. */
const INVALID = new Set([400, 403, 404, 413, 415]);

/**
 * Decides all limits of a request at once, all or nothing, and sets the rate limit headers.
 * @throws GatewayError 429 with the limit's name and value; 401 for a revoked key
 */
export function admitRequest(
  context: AdmitContext,
  exchange: AuthenticatedExchange,
  request: AdmitRequest,
): Promise<void> {
  const { record } = exchange;
  const { limitClass, takesStream, estimateTokens } = request;
  const { hashTag, policies, stream, tokenPolicies } = limitsOf(record, limitClass, takesStream);
  const estimate = tokenPolicies && estimateTokens?.();
  if (record.trace !== undefined) record.trace.admissionStartedAtMs = performance.now();
  return context.limiter
    .admit({
      requestId: record.id,
      hashTag,
      policies,
      tokenPolicies: estimate && tokenPolicies,
      estimate,
      stream,
      revokedKeyId: record.key.keyId,
    })
    .then((admission) => applyAdmission(context, exchange, request, admission, estimate));
}

function applyAdmission(
  { limiter, metrics, streamLeases }: AdmitContext,
  { ends, record, res }: AuthenticatedExchange,
  { limitClass, takesStream }: AdmitRequest,
  admission: Admission,
  estimate: TokenEstimate | undefined,
): void {
  const { key, trace } = record;
  metrics.admissions.labels(limitClass, outcomeOf(admission)).inc();
  if (trace !== undefined) {
    trace.admittedAtMs = performance.now();
    trace.admission = { outcome: outcomeOf(admission), decidedBy: admission.decidedBy };
  }
  if (admission.outcome === 'revoked') throw keyRevoked();
  if (admission.outcome === 'admitted') {
    record.tokens = admission.tokens;
    if (takesStream) {
      const { bucket } = streamsOf(key);
      const release = streamLeases.hold({ requestId: record.id, hashTag: hashTagOf(key), bucket });
      record.releaseStream = release;
      // Release the slot whatever the steps do. The client may be gone already.
      ends.push(release);
    }
  }
  if (record.keyIsStale && admission.decidedBy !== 'redis') {
    if (record.tokens !== undefined) limiter.correctTokens(record.tokens, 0);
    throw keysUncheckable();
  }
  setRateLimitHeaders(res, admission);
  if (admission.outcome === 'refused') throw tooMany(admission, key, limitClass, estimate);
}

/**
 * Counts an invalid request of a known key as a read, so that a flood of them gets 429.
 * @throws GatewayError 429 if that limit is used up, else `failure` itself
 */
export async function refuseInvalid(
  context: AdmitContext,
  exchange: AuthenticatedExchange,
  failure: unknown,
): Promise<never> {
  const isInvalid = failure instanceof GatewayError && INVALID.has(failure.status);
  if (isInvalid) {
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
  }
  throw failure;
}

/**
 * Refuses a request early if its key is known to be at its limits. Counts nothing, without I/O.
 * @param limitClasses every class that it could count against
 * @throws GatewayError 429
 */
export function refuseKnownFull(
  { limiter, metrics }: AdmitContext & { limiter: Pick<RunningLimiter, 'knownRefusal'> },
  { record, res }: AuthenticatedExchange,
  limitClasses: readonly LimitClass[],
): void {
  const { key } = record;
  // A stale key may be revoked, and must then get 401, not 429.
  if (record.keyIsStale) return;
  let soonest: Refused | undefined;
  let soonestClass: LimitClass | undefined;
  for (const limitClass of limitClasses) {
    const refusal = limiter.knownRefusal({
      hashTag: hashTagOf(key),
      policies: policiesOf(key, limitClass),
      revokedKeyId: key.keyId,
    });
    if (refusal === undefined) return;
    if (soonest !== undefined && soonest.retryAfterMs <= refusal.retryAfterMs) continue;
    soonest = refusal;
    soonestClass = limitClass;
  }
  if (soonest === undefined || soonestClass === undefined) return;
  metrics.admissions.labels(soonestClass, outcomeOf(soonest)).inc();
  setRateLimitHeaders(res, soonest);
  throw tooMany(soonest, key, soonestClass);
}

type ReachedLimit = LimitClass | Extract<RequestPolicyName, 'team' | 'key-requests' | 'end-user-requests'>;

function outcomeOf(admission: Admission): string {
  return admission.outcome === 'refused' ? `refused_${admission.by}` : admission.outcome;
}

function tooMany(
  { by, policies, stream, tokenPolicies, retryAfterMs }: Refused,
  key: KeyContext,
  limitClass: CountedAs,
  estimate?: TokenEstimate,
): GatewayError {
  if (by === 'streams') {
    return streamLimitReached(stream?.limit ?? key.limits.concurrentStreams, retryAfterMs);
  }
  if (by === 'key-tokens' || by === 'end-user-tokens') {
    const reached = tokenPolicies.find(({ name }) => name === by);
    return tokenLimitReached({
      whose: by === 'key-tokens' ? 'this API key' : 'this end user',
      perMinute: reached?.limit ?? 0,
      leftTokens: reached?.remaining ?? 0,
      neededTokens: estimate?.fixed ?? 1,
      retryAfterMs,
    });
  }
  const perMinute = policies.find(({ name }) => name === by)?.limit ?? 0;
  return requestLimitReached(nameReachedLimit(by, limitClass), perMinute, retryAfterMs);
}

function nameReachedLimit(by: RequestPolicyName, limitClass: CountedAs): ReachedLimit {
  if (by === 'team' || by === 'key-requests' || by === 'end-user-requests') return by;
  if (by === 'key.paid') return 'paid';
  return limitClass === 'free_and_paid' ? 'free' : limitClass;
}

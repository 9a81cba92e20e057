import {
  type Admission,
  type CountedAs,
  hashTagOf,
  type LimitClass,
  type Limiter,
  type PolicyName,
  policiesOf,
  type Refused,
  type RunningLimiter,
  rateLimitHeaders,
  streamsOf,
} from '@model-gateway/limits';
import { GatewayError } from '@model-gateway/shared';
import {
  keyRevoked,
  keysUncheckable,
  requestLimitReached,
  streamLimitReached,
} from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { KeyContext } from '../keys/key-context.ts';
import type { StreamLeases } from '../limits/stream-leases.ts';
import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';

export interface AdmitContext {
  limiter: Limiter;
  streamLeases: StreamLeases;
  metrics: Pick<DataPlaneMetrics, 'admissions'>;
}

export interface AdmitRequest {
  limitClass: CountedAs;
  /** It will hold one of the key's places for streams until the answer has ended. */
  takesStream: boolean;
}

/** Refusals without a provider: floods of them are limited as reads are. */
const INVALID = new Set([400, 404, 413, 415]);

/**
 * One decision about every limit that applies, all or nothing, and the headers that tell of it.
 * @throws GatewayError 429 with the limit's name and value; 401 when the key is revoked
 */
export async function admitRequest(
  context: AdmitContext,
  exchange: AuthenticatedExchange,
  request: AdmitRequest,
): Promise<void> {
  const { record, res } = exchange;
  const { key } = record;
  const hashTag = hashTagOf(key);
  const stream = streamsOf(key);
  const admission = await context.limiter.admit({
    requestId: record.id,
    hashTag,
    policies: policiesOf(key, request.limitClass),
    stream: request.takesStream ? stream : undefined,
    revokedKeyId: key.keyId,
  });
  context.metrics.admissions.labels(request.limitClass, outcomeOf(admission)).inc();
  if (admission.outcome === 'revoked') throw keyRevoked();
  const takesPlace = request.takesStream && admission.outcome === 'admitted';
  if (takesPlace) {
    const release = context.streamLeases.hold({ requestId: record.id, hashTag, bucket: stream.bucket });
    record.releaseStream = release;
    // Release the place whatever the steps do: it never outlives the response. A client may be gone already.
    exchange.ends.push(release);
  }
  if (record.keyIsStale && admission.decidedBy !== 'redis') throw keysUncheckable();
  for (const [name, value] of Object.entries(rateLimitHeaders(admission))) res.setHeader(name, value);
  if (admission.outcome === 'refused') throw tooMany(admission, key, request.limitClass);
}

/**
 * A request of a known key that was refused before any limit counts as a read, so that a flood of rubbish
 * meets 429.
 * @throws GatewayError 429 when that limit is used up, else `failure` itself
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
 * Refuses a request at once that would be refused in the end whatever else it says, because the key is known
 * to be at its limits. Counts nothing, and asks nobody.
 * @param limitClasses every class that it could count against
 * @throws GatewayError 429
 */
export function refuseKnownFull(
  { limiter, metrics }: AdmitContext & { limiter: Pick<RunningLimiter, 'knownRefusal'> },
  { record, res }: AuthenticatedExchange,
  limitClasses: readonly LimitClass[],
): void {
  const { key } = record;
  // A stale key may be revoked, and a revoked key must be refused as such, not told of its limits.
  if (record.keyIsStale) return;
  let soonest: Refused | undefined;
  let itsClass: LimitClass | undefined;
  for (const limitClass of limitClasses) {
    const refusal = limiter.knownRefusal({
      hashTag: hashTagOf(key),
      policies: policiesOf(key, limitClass),
      revokedKeyId: key.keyId,
    });
    if (refusal === undefined) return;
    if (soonest !== undefined && soonest.retryAfterMs <= refusal.retryAfterMs) continue;
    soonest = refusal;
    itsClass = limitClass;
  }
  if (soonest === undefined || itsClass === undefined) return;
  metrics.admissions.labels(itsClass, outcomeOf(soonest)).inc();
  for (const [name, value] of Object.entries(rateLimitHeaders(soonest))) res.setHeader(name, value);
  throw tooMany(soonest, key, itsClass);
}

function outcomeOf(admission: Admission): string {
  return admission.outcome === 'refused' ? `refused_${admission.by}` : admission.outcome;
}

function tooMany(
  { by, policies, stream, retryAfterMs }: Refused,
  key: KeyContext,
  limitClass: CountedAs,
): GatewayError {
  if (by === 'streams') {
    return streamLimitReached(stream?.limit ?? key.limits.concurrentStreams, retryAfterMs);
  }
  const perMinute = policies.find(({ name }) => name === by)?.limit ?? 0;
  return requestLimitReached(reached(by, limitClass), perMinute, retryAfterMs);
}

function reached(by: PolicyName, limitClass: CountedAs): LimitClass | 'team' {
  if (by === 'team') return 'team';
  if (by === 'key.paid') return 'paid';
  return limitClass === 'free_and_paid' ? 'free' : limitClass;
}

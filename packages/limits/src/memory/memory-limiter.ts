import { admissionOf } from '../admission.ts';
import type {
  Admission,
  AdmissionRequest,
  Limiter,
  Peek,
  PeekRequest,
  PolicyRequest,
  PolicyState,
  Refused,
  StreamLease,
  StreamState,
} from '../limiter.ts';
import { durationsOf, type LimiterOptions } from '../limiter-options.ts';
import { IdleMap } from './idle-map.ts';
import { RequestLog } from './request-log.ts';
import { StreamSlots } from './stream-slots.ts';

export interface MemoryLimiterOptions extends LimiterOptions {
  /** How many request logs are kept, and how many buckets of streams; default 200,000. */
  maxBuckets?: number | undefined;
  /**
   * Takes the place of the tombstones in Redis. By default no key counts as revoked here: revoked keys are
   * refused by whoever watches the keys.
   */
  isRevoked?: ((keyId: string) => boolean) | undefined;
}

interface CheckedPolicy {
  policy: PolicyRequest;
  log: RequestLog;
  key: string;
}

const MAX_BUCKETS = 200_000;

/** Makes the same decisions as the Redis limiter, for one process. */
export class MemoryLimiter implements Limiter {
  readonly #logs: IdleMap<RequestLog>;
  readonly #streams: StreamSlots;
  readonly #windowMicros: number;
  readonly #now: () => number;
  readonly #isRevoked: (keyId: string) => boolean;

  constructor(options: MemoryLimiterOptions = {}) {
    const { windowMicros, leaseMicros } = durationsOf(options);
    const { maxBuckets = MAX_BUCKETS, clockMicros, isRevoked } = options;
    this.#logs = new IdleMap(windowMicros, maxBuckets);
    this.#streams = new StreamSlots(leaseMicros, maxBuckets);
    this.#windowMicros = windowMicros;
    this.#now = clockMicros ?? (() => Math.round(performance.now() * 1_000));
    this.#isRevoked = isRevoked ?? (() => false);
  }

  /** How many request logs and stream buckets are kept at the moment. */
  get bucketCount(): number {
    return this.#logs.size + this.#streams.bucketCount;
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { requestId, revokedKeyId, stream } = request;
    if (revokedKeyId !== undefined && this.#isRevoked(revokedKeyId))
      return { outcome: 'revoked', decidedBy: 'memory' };
    const now = this.#now();
    this.#logs.dropIdle(now);
    this.#streams.dropIdle(now);

    const checked = request.policies.map((policy) => this.#check(policy, request.hashTag, now));
    const slots = stream && this.#streams.slotsOf(bucketKey(request.hashTag, stream.bucket), now);

    // A log holds an id only if everything else was taken with it, so it is enough to look into the first.
    const isRepeated = (checked[0]?.log ?? slots)?.has(requestId) ?? false;
    let refusedBy = 0;
    if (!isRepeated) {
      refusedBy = longestFull(checked, now);
      if (refusedBy === 0 && stream && slots && slots.size >= stream.limit) refusedBy = checked.length + 1;
    }
    if (refusedBy === 0 && !isRepeated) {
      for (const { log, key } of checked) {
        log.add(requestId, now);
        this.#logs.touch(key, log, now);
      }
      if (stream) this.#streams.hold(bucketKey(request.hashTag, stream.bucket), requestId, now);
    }

    const policies = checked.map((each) => stateOf(each, now));
    return admissionOf(refusedBy, policies, this.#streamState(request, now), 'memory');
  }

  async peek(request: PeekRequest): Promise<Peek> {
    const now = this.#now();
    return {
      policies: request.policies.map((policy) => stateOf(this.#check(policy, request.hashTag, now), now)),
      stream: this.#streamState(request, now),
      decidedBy: 'memory',
    };
  }

  /** The refusal that `admit` would answer; undefined when it would admit. Nothing is counted. */
  refusal({ hashTag, policies }: Pick<AdmissionRequest, 'hashTag' | 'policies'>): Refused | undefined {
    const now = this.#now();
    const checked = policies.map((policy) => this.#check(policy, hashTag, now));
    const refusedBy = longestFull(checked, now);
    if (refusedBy === 0) return undefined;
    const states = checked.map((each) => stateOf(each, now));
    const admission = admissionOf(refusedBy, states, undefined, 'memory');
    return admission.outcome === 'refused' ? admission : undefined;
  }

  async releaseStream({ requestId, hashTag, bucket }: StreamLease): Promise<void> {
    this.#streams.release(bucketKey(hashTag, bucket), requestId);
  }

  async heartbeatStreams(leases: readonly StreamLease[]): Promise<void> {
    const now = this.#now();
    for (const { requestId, hashTag, bucket } of leases)
      this.#streams.hold(bucketKey(hashTag, bucket), requestId, now);
  }

  #streamState({ hashTag, stream }: PeekRequest, now: number): StreamState | undefined {
    if (stream === undefined) return undefined;
    const { size } = this.#streams.slotsOf(bucketKey(hashTag, stream.bucket), now);
    return { limit: stream.limit, remaining: Math.max(0, stream.limit - size) };
  }

  /** The log of a policy without its expired entries. A new log is not kept yet. */
  #check(policy: PolicyRequest, hashTag: string, now: number): CheckedPolicy {
    const key = bucketKey(hashTag, policy.bucket);
    const log = this.#logs.get(key) ?? new RequestLog(this.#windowMicros);
    log.dropExpired(now);
    return { policy, log, key };
  }
}

function stateOf({ policy: { name, limit }, log }: CheckedPolicy, now: number): PolicyState {
  return {
    name,
    limit,
    remaining: Math.max(0, limit - log.count),
    resetMs: log.millisecondsUntilFree(limit, now),
  };
}

function bucketKey(hashTag: string, bucket: string): string {
  return `${hashTag}:${bucket}`;
}

/** @returns the number (from 1) of the policy that is full longest, or 0 */
function longestFull(checked: readonly CheckedPolicy[], now: number): number {
  let refusedBy = 0;
  let longest = 0;
  for (const [index, { policy, log }] of checked.entries()) {
    if (log.count < policy.limit) continue;
    const wait = log.millisecondsUntilFree(policy.limit, now);
    if (wait > longest) {
      refusedBy = index + 1;
      longest = wait;
    }
  }
  return refusedBy;
}

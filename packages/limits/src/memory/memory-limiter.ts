import { admissionOf, wholeEstimate } from '../admission.ts';
import type {
  Admission,
  AdmissionRequest,
  Limiter,
  Peek,
  PeekRequest,
  PolicyRequest,
  Refused,
  StreamLease,
  StreamState,
  TakenTokens,
} from '../limiter.ts';
import { countingOf, type LimiterOptions } from '../limiter-options.ts';
import { type Bucket, longestFull, stateOf, type TokenBucket, tokenStateOf, tokensLeft } from './bucket.ts';
import { IdleMap } from './idle-map.ts';
import { RequestCells } from './request-cells.ts';
import { RequestLog } from './request-log.ts';
import { StreamSlots } from './stream-slots.ts';
import { TokenCells } from './token-cells.ts';

export interface MemoryLimiterOptions extends LimiterOptions {
  /** Maximum logs, and likewise buckets of large limits, of tokens and of streams; default 200,000. */
  maxBuckets?: number | undefined;
  /**
   * Replaces the tombstones in Redis. By default no key is revoked here: the key cache refuses revoked keys.
   */
  isRevoked?: ((keyId: string) => boolean) | undefined;
}

const MAX_BUCKETS = 200_000;

/** Makes the same decisions as the Redis limiter, for one process. */
export class MemoryLimiter implements Limiter {
  readonly #logs: IdleMap<RequestLog>;
  readonly #cells: IdleMap<RequestCells>;
  readonly #tokens: IdleMap<TokenCells>;
  readonly #streams: StreamSlots;
  readonly #largestLogged: number;
  readonly #windowMicros: number;
  readonly #cellMicros: number;
  readonly #tokenCellMicros: number;
  readonly #now: () => number;
  readonly #isRevoked: (keyId: string) => boolean;

  constructor(options: MemoryLimiterOptions = {}) {
    const { windowMs, cellMs, tokenCellMs, streamLeaseMs, largestLogged } = countingOf(options);
    this.#largestLogged = largestLogged;
    this.#windowMicros = windowMs * 1_000;
    this.#cellMicros = cellMs * 1_000;
    this.#tokenCellMicros = tokenCellMs * 1_000;
    const { maxBuckets = MAX_BUCKETS, clockMicros, isRevoked } = options;
    this.#logs = new IdleMap(this.#windowMicros, maxBuckets);
    this.#cells = new IdleMap(this.#windowMicros + this.#cellMicros, maxBuckets);
    this.#tokens = new IdleMap(this.#windowMicros + this.#tokenCellMicros, maxBuckets);
    this.#streams = new StreamSlots(streamLeaseMs * 1_000, maxBuckets);
    this.#now = clockMicros ?? (() => Math.round(performance.now() * 1_000));
    this.#isRevoked = isRevoked ?? (() => false);
  }

  /** The number of stored buckets, of requests, tokens and streams. */
  get bucketCount(): number {
    return this.#logs.size + this.#cells.size + this.#tokens.size + this.#streams.bucketCount;
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { requestId, revokedKeyId, stream } = request;
    if (revokedKeyId !== undefined && this.#isRevoked(revokedKeyId))
      return { outcome: 'revoked', decidedBy: 'memory' };
    const now = this.#now();
    this.#logs.dropIdle(now);
    this.#cells.dropIdle(now);
    this.#tokens.dropIdle(now);
    this.#streams.dropIdle(now);

    const buckets = request.policies.map((policy) => this.#bucketOf(policy, request.hashTag, now));
    const tokenBuckets = this.#tokenBucketsOf(request, now);
    const estimate = wholeEstimate(request.estimate);
    const slots = stream && this.#streams.slotsOf(bucketKey(request.hashTag, stream.bucket), now);

    // A log holds an id only if everything else was taken with it, so checking the first log is enough. Cells
    // hold no ids: without a log or a stream, a repeated request counts twice.
    const ids = buckets.find(({ isLarge }) => !isLarge)?.log ?? slots;
    const isRepeated = ids?.has(requestId) ?? false;
    let refusedBy = 0;
    if (!isRepeated) {
      refusedBy = longestFull(buckets, tokenBuckets, estimate.fixed, now, this.#windowMicros);
      if (refusedBy === 0 && stream && slots && slots.size >= stream.limit)
        refusedBy = buckets.length + tokenBuckets.length + 1;
    }
    let [count, cell] = [0, 0];
    if (refusedBy === 0 && !isRepeated) {
      for (const bucket of buckets) this.#count(bucket, requestId, now);
      count =
        estimate.fixed +
        Math.min(estimate.flexible, Math.floor(tokensLeft(tokenBuckets, estimate.fixed) / 4));
      cell = Math.floor(now / this.#tokenCellMicros) + 1;
      for (const { cells, key } of tokenBuckets) {
        cells.take(cell, count);
        this.#tokens.touch(key, cells, now);
      }
      if (stream) this.#streams.hold(bucketKey(request.hashTag, stream.bucket), requestId, now);
    }
    const state: Peek = {
      policies: buckets.map((bucket) => stateOf(bucket, now, this.#windowMicros)),
      tokenPolicies: tokenBuckets.map((bucket) =>
        tokenStateOf(bucket, now, refusedBy === 0 ? 1 : estimate.fixed),
      ),
      stream: this.#streamState(request, now),
      decidedBy: 'memory',
    };
    const keys = tokenBuckets.map(({ key }) => key);
    return admissionOf(
      refusedBy,
      state,
      keys.length === 0 ? undefined : { keys, cell, count, countedBy: 'memory' },
    );
  }

  async peek(request: PeekRequest): Promise<Peek> {
    const now = this.#now();
    return {
      policies: request.policies.map((policy) =>
        stateOf(this.#bucketOf(policy, request.hashTag, now), now, this.#windowMicros),
      ),
      tokenPolicies: this.#tokenBucketsOf(request, now).map((bucket) => tokenStateOf(bucket, now)),
      stream: this.#streamState(request, now),
      decidedBy: 'memory',
    };
  }

  /** Returns the refusal of `admit` by request limits, and counts nothing; undefined: it would admit. */
  refusal({ hashTag, policies }: Pick<AdmissionRequest, 'hashTag' | 'policies'>): Refused | undefined {
    const now = this.#now();
    const buckets = policies.map((policy) => this.#bucketOf(policy, hashTag, now));
    const refusedBy = longestFull(buckets, [], 0, now, this.#windowMicros);
    if (refusedBy === 0) return undefined;
    const states = buckets.map((bucket) => stateOf(bucket, now, this.#windowMicros));
    const state: Peek = { policies: states, tokenPolicies: [], stream: undefined, decidedBy: 'memory' };
    const admission = admissionOf(refusedBy, state, undefined);
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

  correctTokens({ cell, count, keys }: TakenTokens, used: number): void {
    for (const key of keys) this.#tokens.get(key)?.correct(cell, used - count);
  }

  #streamState({ hashTag, stream }: PeekRequest, now: number): StreamState | undefined {
    if (stream === undefined) return undefined;
    const { size } = this.#streams.slotsOf(bucketKey(hashTag, stream.bucket), now);
    return { limit: stream.limit, remaining: Math.max(0, stream.limit - size) };
  }

  /** Returns a policy with its requests in the window. A new bucket is stored only when it counts one. */
  #bucketOf(policy: PolicyRequest, hashTag: string, now: number): Bucket {
    const key = bucketKey(policy.ownTag ?? hashTag, policy.bucket);
    const isLarge = policy.limit > this.#largestLogged;
    const log = this.#logs.get(key) ?? new RequestLog(this.#windowMicros);
    const cells = this.#cells.get(key) ?? (isLarge ? this.#newCells() : undefined);
    log.dropExpired(now);
    cells?.dropExpired(now);
    return { policy, key, isLarge, log, cells };
  }

  #tokenBucketsOf({ hashTag, tokenPolicies = [] }: PeekRequest, now: number): TokenBucket[] {
    return tokenPolicies.map((policy) => {
      const key = bucketKey(policy.ownTag ?? hashTag, policy.bucket);
      const cells = this.#tokens.get(key) ?? new TokenCells(this.#windowMicros, this.#tokenCellMicros);
      cells.dropExpired(now);
      return { policy, key, cells };
    });
  }

  #newCells(): RequestCells {
    return new RequestCells(this.#windowMicros, this.#cellMicros);
  }

  #count({ key, isLarge, log, cells }: Bucket, requestId: string, now: number): void {
    if (isLarge && cells) {
      cells.add(now);
      this.#cells.touch(key, cells, now);
    } else {
      log.add(requestId, now);
      this.#logs.touch(key, log, now);
    }
  }
}

function bucketKey(hashTag: string, bucket: string): string {
  return `${hashTag}:${bucket}`;
}

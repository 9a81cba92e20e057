import { LRUCache } from 'lru-cache';
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
} from './limiter.ts';

export interface KnownFullHooks {
  /** Every decision of `admit`, whoever made it; `known` are refusals that needed no call. Must not throw. */
  onAdmission?: (admission: Admission, how: 'asked' | 'known') => void;
}

export interface KnownFullOptions {
  limiter: Limiter;
  /** Whether revocations are heard of here at the moment; while they are not, every request is asked for. */
  isTrusted: () => boolean;
  hooks?: KnownFullHooks | undefined;
  /** Of keys and clients that met a limit; default 50,000. */
  maxClients?: number | undefined;
  /** Milliseconds that never go back. */
  now?: (() => number) | undefined;
}

interface FullBucket {
  limit: number;
  /** When the next place is free, by `now`. */
  until: number;
}

type FullBuckets = Map<string, FullBucket>;

const MAX_CLIENTS = 50_000;

/**
 * Refuses without a call while a bucket is known to be full: a log that is full stays full until its
 * oldest entry leaves, so a client that goes on asking costs Redis nothing. Streams end at any moment and
 * are never remembered. Neither are decisions of memory, which are as cheap and count other limits.
 */
export class KnownFull implements Limiter {
  readonly #limiter: Limiter;
  readonly #isTrusted: () => boolean;
  readonly #hooks: KnownFullHooks | undefined;
  readonly #now: () => number;
  // By key, not by bucket: what one key of a team learnt says nothing about the revocation of another.
  readonly #clients: LRUCache<string, FullBuckets>;
  #forgotten = 0;

  constructor(options: KnownFullOptions) {
    this.#limiter = options.limiter;
    this.#isTrusted = options.isTrusted;
    this.#hooks = options.hooks;
    this.#now = options.now ?? (() => performance.now());
    this.#clients = new LRUCache({ max: options.maxClients ?? MAX_CLIENTS });
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const known = this.known(request);
    if (known !== undefined) {
      this.#hooks?.onAdmission?.(known, 'known');
      return known;
    }
    // Before the call: the decision falls later, so the place is never free earlier than this says.
    const askedAt = this.#now();
    const forgotten = this.#forgotten;
    const admission = await this.#limiter.admit(request);
    this.#hooks?.onAdmission?.(admission, 'asked');
    // A key that was revoked meanwhile must be asked for again.
    if (forgotten === this.#forgotten) this.#remember(request, admission, askedAt);
    return admission;
  }

  peek(request: PeekRequest): Promise<Peek> {
    return this.#limiter.peek(request);
  }

  /** A key was revoked or its limits changed: its next request is asked for. */
  forget(keyId: string): void {
    this.#clients.delete(keyId);
    this.#forgotten += 1;
  }

  releaseStream(lease: StreamLease): Promise<void> {
    return this.#limiter.releaseStream(lease);
  }

  heartbeatStreams(leases: readonly StreamLease[]): Promise<void> {
    return this.#limiter.heartbeatStreams(leases);
  }

  /**
   * What `admit` would answer without a call; undefined where it would ask. Nothing is counted. Revocations
   * are not looked for: nothing counts as known unless this process hears of every revocation by itself.
   */
  known(request: Pick<AdmissionRequest, 'hashTag' | 'policies' | 'revokedKeyId'>): Refused | undefined {
    const buckets = this.#clients.get(clientOf(request));
    if (buckets === undefined || !this.#isTrusted()) return undefined;
    const now = this.#now();
    // Of what else applies nothing is known without a call, so only full policies are listed.
    const policies = request.policies.flatMap((policy) => fullState(policy, buckets, now) ?? []);
    const longest = policies.reduce<PolicyState | undefined>(
      (first, policy) => (first === undefined || policy.resetMs > first.resetMs ? policy : first),
      undefined,
    );
    if (longest === undefined) return undefined;
    return {
      outcome: 'refused',
      by: longest.name,
      retryAfterMs: longest.resetMs,
      policies,
      stream: undefined,
      decidedBy: 'redis',
    };
  }

  #remember(request: AdmissionRequest, admission: Admission, askedAt: number): void {
    if (admission.outcome !== 'refused' || admission.decidedBy !== 'redis') return;
    if (admission.by === 'streams') return;
    // What it has learnt of other buckets stays: a key may be at its limit for free and for paid models at
    // once.
    const buckets: FullBuckets = new Map(this.#clients.get(clientOf(request)));
    for (const [index, { limit, remaining, resetMs }] of admission.policies.entries()) {
      const policy = request.policies[index];
      // A millisecond less, because the store rounds up: better one call too many than a refusal too many.
      if (policy && remaining === 0) buckets.set(policy.bucket, { limit, until: askedAt + resetMs - 1 });
    }
    this.#clients.set(clientOf(request), buckets);
  }
}

function clientOf({ revokedKeyId, hashTag }: Pick<AdmissionRequest, 'revokedKeyId' | 'hashTag'>): string {
  return revokedKeyId ?? hashTag;
}

function fullState(
  { name, bucket, limit }: PolicyRequest,
  buckets: FullBuckets,
  now: number,
): PolicyState | undefined {
  const full = buckets.get(bucket);
  // A limit that was raised since may have room.
  if (full === undefined || full.until <= now || limit > full.limit) return undefined;
  return { name, limit, remaining: 0, resetMs: Math.ceil(full.until - now) };
}

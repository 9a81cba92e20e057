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
  TakenTokens,
} from './limiter.ts';

export interface KnownFullHooks {
  /** Called with every decision of `admit`; `known`: a refusal that needed no call. Must not throw. */
  onAdmission?: (admission: Admission, how: 'called' | 'known') => void;
}

export interface KnownFullOptions {
  limiter: Limiter;
  /** False while this process may miss revocations: then every request goes to the store. */
  isTrusted: () => boolean;
  hooks?: KnownFullHooks | undefined;
  /** How many keys and clients that met a limit are remembered; default 50,000. */
  maxClients?: number | undefined;
  /** A clock in milliseconds that never goes back. */
  now?: (() => number) | undefined;
}

interface FullBucket {
  limit: number;
  /** When the next place is free, by the clock `now`. */
  until: number;
}

type FullBuckets = Map<string, FullBucket>;

const MAX_CLIENTS = 50_000;

/**
 * Refuses without a call while a bucket is known to be full: it stays full until its oldest entry leaves, so
 * persistent clients cost Redis nothing. Streams are not remembered, because they may end at any moment, nor
 * tokens, whose estimates may be corrected at any moment, nor decisions of memory, which are as cheap and use
 * other limits.
 */
export class KnownFull implements Limiter {
  readonly #limiter: Limiter;
  readonly #isTrusted: () => boolean;
  readonly #hooks: KnownFullHooks | undefined;
  readonly #now: () => number;
  // By key, not by bucket: a decision for one key of a team says nothing about the revocation of another.
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
    // Measured before the call, so that a bucket never counts as full for too long.
    const calledAt = this.#now();
    const forgotten = this.#forgotten;
    const admission = await this.#limiter.admit(request);
    this.#hooks?.onAdmission?.(admission, 'called');
    // If a key was revoked meanwhile, the next request must go to the store again.
    if (forgotten === this.#forgotten) this.#remember(request, admission, calledAt);
    return admission;
  }

  peek(request: PeekRequest): Promise<Peek> {
    return this.#limiter.peek(request);
  }

  /** Call this when a key was revoked or its limits changed: its next request goes to the store. */
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

  correctTokens(taken: TakenTokens, used: number): void {
    this.#limiter.correctTokens(taken, used);
  }

  /**
   * Returns the refusal that `admit` would return without a call; undefined: it would call the store. Counts
   * nothing. Ignores tombstones: a refusal is known only while this process learns of every revocation.
   */
  known(request: Pick<AdmissionRequest, 'hashTag' | 'policies' | 'revokedKeyId'>): Refused | undefined {
    const buckets = this.#clients.get(clientOf(request));
    if (buckets === undefined || !this.#isTrusted()) return undefined;
    const now = this.#now();
    // Only full policies are listed, because the state of the others is not known without a call.
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
      tokenPolicies: [],
      stream: undefined,
      decidedBy: 'redis',
    };
  }

  #remember(request: AdmissionRequest, admission: Admission, calledAt: number): void {
    if (admission.outcome !== 'refused' || admission.decidedBy !== 'redis') return;
    if (admission.by === 'streams') return;
    // Keep other full buckets: a key can be at its limits for free and for paid models at once.
    const buckets: FullBuckets = new Map(this.#clients.get(clientOf(request)));
    for (const [index, { limit, remaining, resetMs }] of admission.policies.entries()) {
      const policy = request.policies[index];
      // Not remembered: a key may have any number of end users.
      if (policy?.name === 'end-user-requests') continue;
      // One millisecond less: the store rounds up, and a needless call harms less than a needless refusal.
      if (policy && remaining === 0) buckets.set(policy.bucket, { limit, until: calledAt + resetMs - 1 });
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
  // If the limit was raised since then, a place may be free.
  if (full === undefined || full.until <= now || limit > full.limit) return undefined;
  return { name, limit, remaining: 0, resetMs: Math.ceil(full.until - now) };
}

import { LRUCache } from 'lru-cache';
import type { AdmissionRequest, PolicyRequest, PolicyState, Refused } from './limiter.ts';

export interface KnownFullOptions {
  /** False while this process may miss revocations: then every request goes to the store. */
  isTrusted: () => boolean;
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
 * Remembers buckets that Redis found full. Each stays full until its oldest entry leaves, so persistent
 * clients cost Redis nothing. Streams may end, and estimates of tokens may be corrected, at any moment, so
 * neither is remembered.
 */
export class KnownFull {
  readonly #isTrusted: () => boolean;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  // By key, not by bucket: a decision for one key of a team says nothing about the revocation of another.
  readonly #clients: LRUCache<string, FullBuckets>;
  #forgottenAt = Number.NEGATIVE_INFINITY;

  constructor(options: KnownFullOptions) {
    this.#isTrusted = options.isTrusted;
    this.now = options.now ?? (() => performance.now());
    this.#clients = new LRUCache({ max: options.maxClients ?? MAX_CLIENTS });
  }

  /** Call this when a key was revoked or its limits changed: its next request goes to the store. */
  forget(keyId: string): void {
    this.#clients.delete(keyId);
    this.#forgottenAt = this.now();
  }

  /**
   * Returns the refusal that Redis would return; undefined if Redis must decide. Counts nothing. Ignores
   * tombstones: a refusal is known only while this process learns of every revocation.
   */
  refusal(request: Pick<AdmissionRequest, 'hashTag' | 'policies' | 'revokedKeyId'>): Refused | undefined {
    const buckets = this.#clients.get(clientOf(request));
    if (buckets === undefined || !this.#isTrusted()) return undefined;
    const now = this.now();
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

  /**
   * Remembers a refusal by Redis.
   * @param calledAt time before the call, by the clock `now`, so that no bucket counts as full for too long
   */
  remember(request: AdmissionRequest, { by, policies }: Refused, calledAt: number): void {
    // If a key was revoked meanwhile, the next request must go to the store again.
    if (by === 'streams' || calledAt <= this.#forgottenAt) return;
    // Keep other full buckets: a key can be at its limits for free and for paid models at once.
    const buckets: FullBuckets = new Map(this.#clients.get(clientOf(request)));
    for (const [index, { limit, remaining, resetMs }] of policies.entries()) {
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

import {
  type ControlPlaneClient,
  grpcStatus,
  type ResolveKeyResponseMessage,
} from '@model-gateway/contracts';
import { type Patience, SlotQueue } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { keysUncheckable, tooManyKeyLookups, tooManyUnknownKeys } from '@model-gateway/shared/errors';
import type { KeyCache } from './key-cache.ts';
import { type KeyContext, keyContextFromMessage } from './key-context.ts';
import { type LookupGuard, SPENT_BUDGET_HEADERS, UNKNOWN_KEYS } from './lookup-guard.ts';

/** How long to wait for the control plane if a cached key can be used instead. */
const KNOWN_MS = 250;
/** Otherwise: how long to wait for a silent control plane, and at most for a slow one. */
const QUIET_MS = 3_000;
const MAX_MS = 10_000;
/** More parallel lookups would only delay all of them, so others queue. */
const LOOKUP_SLOTS = { places: 256, maxWaiting: 4_096, maxWaitMs: 5_000 };

interface Lookup {
  lookupHash: string;
  /** Hash of the same key under the old pepper. */
  oldHash: string | undefined;
  answer: Promise<KeyContext | undefined>;
  /** True once the call was sent: its response may predate later requests. */
  isAsked: boolean;
  /** Revision of the latest change since the call was sent: older responses are outdated. */
  minRevision: number;
}

export interface KeyChange {
  lookupHash: string;
  revision: number;
  revoked: boolean;
}

/** Decides if cached contexts and shared lookups are current. */
export interface KeyTrust {
  isLive(): boolean;
  patience(quietMs: number, mostMs: number): Patience;
  /** Returns true if cached keys may be used although no control plane responds. */
  mayServeStale(): boolean;
}

export interface KeyResolverOptions {
  client: ControlPlaneClient;
  cache: KeyCache;
  trust: KeyTrust;
  guard: LookupGuard;
  pepperFingerprint: string;
}

/** A key. If it is stale, Redis must confirm that it is not revoked. */
export interface ResolvedKey {
  key: KeyContext;
  isStale: boolean;
}

/** Finds the context of a lookup hash: in the cache while the watch is live, else in the control plane. */
export class KeyResolver {
  readonly #options: KeyResolverOptions;
  readonly #slots = new SlotQueue(LOOKUP_SLOTS);
  readonly #running = new Set<Lookup>();
  /** The newest lookup of each hash, which may wait for an earlier one. */
  readonly #newest = new Map<string, Lookup>();

  constructor(options: KeyResolverOptions) {
    this.#options = options;
  }

  /** Reads the cache: undefined if a lookup is needed, null if no active key has the hash. */
  cached(lookupHash: string): KeyContext | null | undefined {
    if (!this.#options.trust.isLive()) return undefined;
    return (
      this.#options.cache.get(lookupHash) ?? (this.#options.cache.isUnknown(lookupHash) ? null : undefined)
    );
  }

  /**
   * Looks a key up.
   * @param oldHash the hash under the old pepper; one lookup asks for both
   * @returns undefined if no active key has this hash
   * @throws GatewayError 503 if the control plane does not respond (an outage never means "unknown"), 429
   *   after too many unknown keys from this address
   */
  async resolve(lookupHash: string, clientIp: string, oldHash?: string): Promise<ResolvedKey | undefined> {
    try {
      const key = await this.#resolveNow(lookupHash, clientIp, oldHash);
      return key && { key, isStale: false };
    } catch (failure) {
      if (!this.#options.trust.mayServeStale()) throw failure;
      const known = this.#options.cache.get(lookupHash);
      if (known !== undefined) return { key: known, isStale: true };
      // Revoked before the outage.
      if (this.#options.cache.isUnknown(lookupHash)) return undefined;
      throw failure;
    }
  }

  async #resolveNow(
    lookupHash: string,
    clientIp: string,
    oldHash: string | undefined,
  ): Promise<KeyContext | undefined> {
    // Without a live watch, a response may predate a completed revocation, so a request must not join a call
    // that was already sent. It shares the next one.
    const newest = this.#newest.get(lookupHash);
    if (newest !== undefined && (!newest.isAsked || this.#options.trust.isLive())) return newest.answer;
    const answer = Promise.resolve(undefined);
    const lookup: Lookup = { lookupHash, oldHash, answer, isAsked: false, minRevision: 0 };
    lookup.answer = this.#start(lookup, clientIp, newest?.answer);
    this.#running.add(lookup);
    this.#newest.set(lookupHash, lookup);
    try {
      return await lookup.answer;
    } finally {
      this.#running.delete(lookup);
      if (this.#newest.get(lookupHash) === lookup) this.#newest.delete(lookupHash);
    }
  }

  async #start(
    lookup: Lookup,
    clientIp: string,
    earlier: Promise<unknown> | undefined,
  ): Promise<KeyContext | undefined> {
    await earlier?.catch(() => undefined);
    const admission = await this.#options.guard.begin(clientIp);
    if (admission === 'spent') throw tooManyUnknownKeys(UNKNOWN_KEYS.refillPerSecond, SPENT_BUDGET_HEADERS);
    if (admission === 'busy') throw tooManyKeyLookups();
    let result: 'found' | 'unknown' | 'failed' = 'failed';
    try {
      if (!(await this.#slots.enter())) throw tooManyKeyLookups();
      try {
        lookup.isAsked = true;
        const key = await this.#lookUp(lookup);
        result = key === undefined ? 'unknown' : 'found';
        return key;
      } finally {
        this.#slots.leave();
      }
    } finally {
      this.#options.guard.end(clientIp, result);
    }
  }

  /** Call this when a key changed at `revision`: drops the cached context and ignores older responses. */
  invalidate({ lookupHash, revision, revoked }: KeyChange): void {
    if (revoked) this.#options.cache.markRevoked(lookupHash);
    else this.#options.cache.drop(lookupHash);
    for (const lookup of this.#running) {
      if (lookup.lookupHash === lookupHash || lookup.oldHash === lookupHash)
        lookup.minRevision = Math.max(lookup.minRevision, revision);
    }
  }

  /** Call this when everything learned before `revision` is void. */
  invalidateAll(revision: number): void {
    this.#options.cache.clear();
    for (const lookup of this.#running) lookup.minRevision = Math.max(lookup.minRevision, revision);
  }

  async #lookUp(lookup: Lookup): Promise<KeyContext | undefined> {
    const { lookupHash, oldHash } = lookup;
    for (let attempt = 1; ; attempt++) {
      const response = await this.#callControlPlane(lookupHash, oldHash);
      if (Number(response.revision) >= lookup.minRevision) {
        const key = response.key === null ? undefined : keyContextFromMessage(response.key);
        this.#options.cache.set(lookupHash, key, oldHash);
        // Undefined if the key has expired meanwhile.
        return this.#options.cache.get(lookupHash);
      }
      if (attempt === 3) throw unavailable(new Error('the key changed during every lookup'));
    }
  }

  async #callControlPlane(
    lookupHash: string,
    oldHash: string | undefined,
  ): Promise<ResolveKeyResponseMessage> {
    const previous =
      oldHash === undefined
        ? {}
        : { previousLookupHash: oldHash, pepperFingerprint: this.#options.pepperFingerprint };
    // A cached key is used if the control plane does not respond, so do not wait long.
    const isKnown = this.#options.trust.mayServeStale() && this.#options.cache.get(lookupHash) !== undefined;
    const patience = isKnown ? KNOWN_MS : this.#options.trust.patience(QUIET_MS, MAX_MS);
    try {
      return await this.#options.client.call(patience, 'keys', 'resolveKey', { lookupHash, ...previous });
    } catch (error) {
      throw unavailable(error);
    }
  }
}

function unavailable(cause: unknown): GatewayError {
  const status = grpcStatus(cause);
  return keysUncheckable(
    status === undefined ? cause : new Error(`ResolveKey failed with gRPC status ${status}`, { cause }),
  );
}

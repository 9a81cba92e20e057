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
import { REFILL_PER_SECOND, SPENT_BUDGET_HEADERS, type UnknownKeyGuard } from './unknown-key-guard.ts';

/** The control plane is waited for so long if a known key can be served without its answer. */
const KNOWN_MS = 250;
/** If it cannot: how long a silent control plane is waited for, and how long one that is there, but slow. */
const QUIET_MS = 3_000;
const MOST_MS = 10_000;
/** More look-ups at the same time would only make all of them late: further ones wait for a moment. */
const TURNS = { places: 256, maxWaiting: 4_096, maxWaitMs: 5_000 };

/** A running look-up that later requests for the same key may join. */
interface Lookup {
  lookupHash: string;
  /** The hash of the same key under the pepper that is being replaced. */
  oldHash: string | undefined;
  answer: Promise<KeyContext | undefined>;
  /** True if the question was sent: its answer may then be older than a request that comes now. */
  isAsked: boolean;
  /** The revision of the last change seen since the question was sent: an older answer is outdated. */
  minRevision: number;
}

export interface KeyChange {
  lookupHash: string;
  revision: number;
  revoked: boolean;
}

/** Tells whether cached contexts and shared look-ups may be believed. */
export interface KeyTrust {
  isLive(): boolean;
  /** How long to wait for the control plane. */
  patience(quietMs: number, mostMs: number): Patience;
  /** Returns true if a key that is known from before may be used although no control plane answers. */
  mayServeStale(): boolean;
}

export interface KeyResolverOptions {
  client: ControlPlaneClient;
  cache: KeyCache;
  trust: KeyTrust;
  guard: UnknownKeyGuard;
  pepperFingerprint: string;
}

/** A key, and whether it is only known from before: its revocation must then be looked for elsewhere. */
export interface ResolvedKey {
  key: KeyContext;
  isStale: boolean;
}

/** Finds the context of a lookup hash: in the cache while the watch is live, else from the control plane. */
export class KeyResolver {
  readonly #client: ControlPlaneClient;
  readonly #cache: KeyCache;
  readonly #trust: KeyTrust;
  readonly #guard: UnknownKeyGuard;
  readonly #turns = new SlotQueue(TURNS);
  readonly #pepperFingerprint: string;
  readonly #running = new Set<Lookup>();
  /** The newest look-up of each hash. It may be waiting for an earlier one. */
  readonly #newest = new Map<string, Lookup>();

  constructor({ client, cache, trust, guard, pepperFingerprint }: KeyResolverOptions) {
    this.#client = client;
    this.#cache = cache;
    this.#trust = trust;
    this.#guard = guard;
    this.#pepperFingerprint = pepperFingerprint;
  }

  /** Answers without a look-up: undefined when one is needed, null when no active key has the hash. */
  cached(lookupHash: string): KeyContext | null | undefined {
    if (!this.#trust.isLive()) return undefined;
    return this.#cache.get(lookupHash) ?? (this.#cache.isUnknown(lookupHash) ? null : undefined);
  }

  /**
   * @param oldHash the hash under the pepper that is being replaced; one look-up asks for both
   * @returns undefined when no active key has this hash
   * @throws GatewayError 503 when the control plane does not answer (an outage never means "unknown"), 429
   *   when too many look-ups for this address have found nothing
   */
  async resolve(lookupHash: string, clientIp: string, oldHash?: string): Promise<ResolvedKey | undefined> {
    try {
      const key = await this.#resolveNow(lookupHash, clientIp, oldHash);
      return key && { key, isStale: false };
    } catch (failure) {
      if (!this.#trust.mayServeStale()) throw failure;
      const known = this.#cache.get(lookupHash);
      if (known !== undefined) return { key: known, isStale: true };
      // The key was revoked before the control plane went away.
      if (this.#cache.isUnknown(lookupHash)) return undefined;
      throw failure;
    }
  }

  async #resolveNow(
    lookupHash: string,
    clientIp: string,
    oldHash: string | undefined,
  ): Promise<KeyContext | undefined> {
    // Without a live watch, an answer may have been read before a revocation that was already reported as
    // done. So a request must not join a question that was already sent. All requests that come before the
    // next question is sent share that one.
    const newest = this.#newest.get(lookupHash);
    if (newest !== undefined && (!newest.isAsked || this.#trust.isLive())) return newest.answer;
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
    const admission = await this.#guard.begin(clientIp);
    if (admission === 'spent') throw tooManyUnknownKeys(REFILL_PER_SECOND, SPENT_BUDGET_HEADERS);
    if (admission === 'busy') throw tooManyKeyLookups();
    let result: 'found' | 'unknown' | 'failed' = 'failed';
    try {
      if (!(await this.#turns.enter())) throw tooManyKeyLookups();
      try {
        lookup.isAsked = true;
        const key = await this.#lookUp(lookup);
        result = key === undefined ? 'unknown' : 'found';
        return key;
      } finally {
        this.#turns.leave();
      }
    } finally {
      this.#guard.end(clientIp, result);
    }
  }

  /**
   * To be called when the key has changed at `revision`: the cached context and older answers that are still
   * under way do not count any more.
   */
  invalidate({ lookupHash, revision, revoked }: KeyChange): void {
    if (revoked) this.#cache.markRevoked(lookupHash);
    else this.#cache.drop(lookupHash);
    for (const lookup of this.#running) {
      if (lookup.lookupHash === lookupHash || lookup.oldHash === lookupHash)
        lookup.minRevision = Math.max(lookup.minRevision, revision);
    }
  }

  /** To be called when nothing that was learnt before `revision` counts any more. */
  invalidateAll(revision: number): void {
    this.#cache.clear();
    for (const lookup of this.#running) lookup.minRevision = Math.max(lookup.minRevision, revision);
  }

  async #lookUp(lookup: Lookup): Promise<KeyContext | undefined> {
    const { lookupHash, oldHash } = lookup;
    for (let attempt = 1; ; attempt++) {
      const response = await this.#ask(lookupHash, oldHash);
      if (Number(response.revision) >= lookup.minRevision) {
        const key = response.key === null ? undefined : keyContextFromMessage(response.key);
        this.#cache.set(lookupHash, key, oldHash);
        // The cache leaves out a key that has expired meanwhile.
        return this.#cache.get(lookupHash);
      }
      if (attempt === 3) throw unavailable(new Error('the key changed during every look-up'));
    }
  }

  async #ask(lookupHash: string, oldHash: string | undefined): Promise<ResolveKeyResponseMessage> {
    const previous =
      oldHash === undefined
        ? {}
        : { previousLookupHash: oldHash, pepperFingerprint: this.#pepperFingerprint };
    // A known key is used when the control plane does not answer, and that should not take long.
    const isKnown = this.#trust.mayServeStale() && this.#cache.get(lookupHash) !== undefined;
    const patience = isKnown ? KNOWN_MS : this.#trust.patience(QUIET_MS, MOST_MS);
    try {
      return await this.#client.call(patience, 'keys', 'resolveKey', { lookupHash, ...previous });
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

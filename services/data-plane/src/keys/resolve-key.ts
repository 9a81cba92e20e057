import {
  type ControlPlaneClient,
  grpcStatus,
  type ResolveKeyResponseMessage,
} from '@model-gateway/contracts';
import { withPatience } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import type { KeyCache } from './key-cache.ts';
import { type KeyContext, keyContextFromMessage } from './key-context.ts';
import { SPENT_BUDGET_HEADERS, type UnknownKeyGuard } from './unknown-key-guard.ts';

/** How long a control plane may take, by a clock that stands still while this process is too busy to read its answer. */
const RESOLVE_PATIENCE_MS = 250;
/** Only ends a call that nobody waits for any more. */
const RESOLVE_DEADLINE_MS = 2_000;
/** More look-ups at once than a control plane answers within the deadline would only make all of them late. */
const MAX_CONCURRENT_LOOKUPS = 256;

/** A look-up on its way that later requests for the same key may join. */
interface Lookup {
  lookupHash: string;
  answer: Promise<KeyContext | undefined>;
  /** Changes seen since it left: an older answer is stale. */
  minRevision: number;
}

export interface KeyChange {
  lookupHash: string;
  revision: number;
  revoked: boolean;
}

/** Whether cached contexts and shared look-ups reflect every revocation that anybody was told of. */
export interface KeyTrust {
  isLive(): boolean;
  /** Whether a key that is known from before may be served although no control plane answers. */
  mayServeStale(): boolean;
}

export interface KeyResolverOptions {
  client: ControlPlaneClient;
  cache: KeyCache;
  trust: KeyTrust;
  guard: UnknownKeyGuard;
}

/** A key, and whether it is only known from before: its revocation must then be looked for elsewhere. */
export interface ResolvedKey {
  key: KeyContext;
  isStale: boolean;
}

/** From lookup hash to key context: the cache while the watch is live, else the control plane. */
export class KeyResolver {
  readonly #client: ControlPlaneClient;
  readonly #cache: KeyCache;
  readonly #trust: KeyTrust;
  readonly #guard: UnknownKeyGuard;
  readonly #running = new Set<Lookup>();
  /** The newest running look-up of each hash. */
  readonly #joinable = new Map<string, Lookup>();

  constructor({ client, cache, trust, guard }: KeyResolverOptions) {
    this.#client = client;
    this.#cache = cache;
    this.#trust = trust;
    this.#guard = guard;
  }

  /** Answers without a look-up; undefined when one is needed, null when the hash is known to be no active key. */
  cached(lookupHash: string): KeyContext | null | undefined {
    if (!this.#trust.isLive()) return undefined;
    return this.#cache.get(lookupHash) ?? (this.#cache.isUnknown(lookupHash) ? null : undefined);
  }

  /**
   * @returns undefined when no active key has this hash
   * @throws GatewayError 503 when the control plane does not answer (never "unknown" because something is
   *   down), 429 when too many look-ups for this address found nothing
   */
  async resolve(lookupHash: string, clientIp: string): Promise<ResolvedKey | undefined> {
    try {
      const key = await this.#resolveNow(lookupHash, clientIp);
      return key && { key, isStale: false };
    } catch (failure) {
      if (!this.#trust.mayServeStale()) throw failure;
      const known = this.#cache.get(lookupHash);
      if (known !== undefined) return { key: known, isStale: true };
      // Revoked before the control plane went away, and a revoked key never comes back.
      if (this.#cache.isUnknown(lookupHash)) return undefined;
      throw failure;
    }
  }

  async #resolveNow(lookupHash: string, clientIp: string): Promise<KeyContext | undefined> {
    // Without a live watch a shared answer could have been read before a revocation that the caller was
    // already told of; each request then asks for itself.
    const joinable = this.#trust.isLive() ? this.#joinable.get(lookupHash) : undefined;
    if (joinable !== undefined) return joinable.answer;
    if (this.#running.size >= MAX_CONCURRENT_LOOKUPS) throw tooManyLookups();
    const admission = this.#guard.begin(clientIp);
    if (admission === 'spent') throw tooManyUnknownKeys();
    if (admission === 'busy') throw tooManyLookups();
    const lookup: Lookup = { lookupHash, answer: Promise.resolve(undefined), minRevision: 0 };
    lookup.answer = this.#lookUp(lookup);
    this.#running.add(lookup);
    this.#joinable.set(lookupHash, lookup);
    let result: 'found' | 'unknown' | 'failed' = 'failed';
    try {
      const key = await lookup.answer;
      result = key === undefined ? 'unknown' : 'found';
      return key;
    } finally {
      this.#guard.end(clientIp, result);
      this.#running.delete(lookup);
      if (this.#joinable.get(lookupHash) === lookup) this.#joinable.delete(lookupHash);
    }
  }

  /** The key changed at `revision`: cached and older answers that are still on their way count no more. */
  invalidate({ lookupHash, revision, revoked }: KeyChange): void {
    if (revoked) this.#cache.markRevoked(lookupHash);
    else this.#cache.drop(lookupHash);
    for (const lookup of this.#running) {
      if (lookup.lookupHash === lookupHash) lookup.minRevision = Math.max(lookup.minRevision, revision);
    }
  }

  /** Nothing known before `revision` counts any more. */
  invalidateAll(revision: number): void {
    this.#cache.clear();
    for (const lookup of this.#running) lookup.minRevision = Math.max(lookup.minRevision, revision);
  }

  async #lookUp(lookup: Lookup): Promise<KeyContext | undefined> {
    const { lookupHash } = lookup;
    for (let attempt = 1; ; attempt++) {
      const response = await this.#ask(lookupHash);
      if (Number(response.revision) >= lookup.minRevision) {
        const key = response.key === null ? undefined : keyContextFromMessage(response.key);
        this.#cache.set(lookupHash, key);
        // Not one that has expired on its way.
        return this.#cache.get(lookupHash);
      }
      if (attempt === 3) throw unavailable(new Error('the key changed during every look-up'));
    }
  }

  async #ask(lookupHash: string): Promise<ResolveKeyResponseMessage> {
    const { stubs: asked } = this.#client;
    const answer = this.#client.call<ResolveKeyResponseMessage>(RESOLVE_DEADLINE_MS, (stubs, ...rest) =>
      stubs.keys.resolveKey({ lookupHash }, ...rest),
    );
    try {
      return await withPatience(answer, RESOLVE_PATIENCE_MS, () => {
        this.#client.moveOn(asked);
        return new Error(`no answer within ${RESOLVE_PATIENCE_MS} ms`);
      });
    } catch (error) {
      throw unavailable(error);
    }
  }
}

function tooManyLookups(): GatewayError {
  return new GatewayError(
    'overloaded',
    'Too many keys are being looked up at the moment. Retry in a second.',
  );
}

function tooManyUnknownKeys(): GatewayError {
  const message =
    'Too many unknown API keys came from your address (10 a second go on). Check the key you send.';
  return new GatewayError('rate_limit_exceeded', message, { headers: SPENT_BUDGET_HEADERS });
}

function unavailable(cause: unknown): GatewayError {
  const status = grpcStatus(cause);
  const message =
    'The gateway cannot check API keys at the moment. Your key is not the problem: retry in a second.';
  return new GatewayError('control_plane_unavailable', message, {
    cause:
      status === undefined ? cause : new Error(`ResolveKey failed with gRPC status ${status}`, { cause }),
  });
}

import { LRUCache } from 'lru-cache';
import type { KeyContext } from './key-context.ts';

/**
 * A key takes about 0.5 kB, and all of them 100 MB. If more keys are in use at one process, it looks most of
 * them up every time.
 */
const MAX_KEYS = 120_000;
const MAX_UNKNOWN = 10_000;
const KEY_MAX_AGE_MS = 10 * 60_000;
/** The clock is read once in this time. Otherwise the cache would start a timer every millisecond. */
const CLOCK_RESOLUTION_MS = 1_000;
const UNKNOWN_MAX_AGE_MS = 5_000;

/**
 * Key contexts by lookup hash, bounded in number and age. An expired key is never returned. Whether the
 * entries may be believed at all is decided by the key watch (KeyWatch.isLive). Unknown hashes have a cache
 * of their own, so that invented keys push out no real ones.
 */
export class KeyCache {
  readonly #keys = new LRUCache<string, KeyContext>({
    max: MAX_KEYS,
    ttl: KEY_MAX_AGE_MS,
    ttlResolution: CLOCK_RESOLUTION_MS,
  });
  /** While the pepper is being replaced: from a key's old hash to the hash under which it is kept. */
  #keptBy: LRUCache<string, string> | undefined;
  readonly #unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_MAX_AGE_MS });
  readonly #now: () => number;

  /** @param now Unix milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get(lookupHash: string): KeyContext | undefined {
    const key = this.#keys.get(lookupHash);
    if (key === undefined || !this.#hasExpired(key)) return key;
    this.markRevoked(lookupHash);
    return undefined;
  }

  isUnknown(lookupHash: string): boolean {
    return this.#unknown.has(lookupHash);
  }

  /** @param oldHash the key's hash under the pepper that is being replaced; a change may name either */
  set(lookupHash: string, key: KeyContext | undefined, oldHash?: string): void {
    if (oldHash !== undefined && key !== undefined) {
      this.#keptBy ??= new LRUCache({
        max: MAX_KEYS,
        ttl: KEY_MAX_AGE_MS,
        ttlResolution: CLOCK_RESOLUTION_MS,
      });
      this.#keptBy.set(oldHash, lookupHash);
    }
    if (key === undefined) {
      this.#keys.delete(lookupHash);
      this.#unknown.set(lookupHash, true);
    } else {
      this.#keys.set(lookupHash, key);
    }
  }

  /** Forgets the key, and also that it was unknown: a suspended key may be active again. */
  drop(lookupHash: string): void {
    const keptBy = this.#keptBy?.get(lookupHash) ?? lookupHash;
    this.#keys.delete(keptBy);
    this.#unknown.delete(keptBy);
  }

  /**
   * Remembers that the key is refused, so that further requests with it need no look-up. It becomes active
   * again only by a change that calls `drop`, as when its account is no longer suspended.
   */
  markRevoked(lookupHash: string): void {
    const keptBy = this.#keptBy?.get(lookupHash) ?? lookupHash;
    this.#keys.delete(keptBy);
    this.#unknown.set(keptBy, true, { ttl: KEY_MAX_AGE_MS });
  }

  clear(): void {
    this.#keys.clear();
    this.#unknown.clear();
    this.#keptBy?.clear();
  }

  #hasExpired({ expiresAtMs }: KeyContext): boolean {
    return expiresAtMs !== undefined && expiresAtMs <= this.#now();
  }
}

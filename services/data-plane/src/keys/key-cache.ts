import { LRUCache } from 'lru-cache';
import type { KeyContext } from './key-context.ts';

/**
 * About 0.5 kB each, 100 MB for all. When more are in use at one process, it looks most of them up every
 * time.
 */
const MAX_KEYS = 120_000;
const MAX_UNKNOWN = 10_000;
const KEY_MAX_AGE_MS = 10 * 60_000;
/** How long one reading of the clock serves; the cache would otherwise start a timer every millisecond. */
const CLOCK_RESOLUTION_MS = 1_000;
const UNKNOWN_MAX_AGE_MS = 5_000;

/**
 * Key contexts by lookup hash, bounded in number and age. Whether an entry may be believed at all is the
 * watch's decision (KeyWatch.isLive), not the cache's; but what has expired is never answered. Unknown hashes
 * have a cache of their own, so that invented keys push no real one out.
 */
export class KeyCache {
  readonly #keys = new LRUCache<string, KeyContext>({
    max: MAX_KEYS,
    ttl: KEY_MAX_AGE_MS,
    ttlResolution: CLOCK_RESOLUTION_MS,
  });
  /** While the pepper is replaced: from a key's hash under the old one to the one that it is kept by. */
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

  /**
   * @param oldHash of the same key, under the pepper that is being replaced: changes may be told by either
   */
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

  /** What is known of a key counts no more, nor that it is unknown: one that was suspended may be back. */
  drop(lookupHash: string): void {
    const keptBy = this.#keptBy?.get(lookupHash) ?? lookupHash;
    this.#keys.delete(keptBy);
    this.#unknown.delete(keptBy);
  }

  /**
   * A revoked or expired key comes back only by a change that drops this (its account was suspended, and is
   * not any more), so its owner's next requests need no look-up.
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

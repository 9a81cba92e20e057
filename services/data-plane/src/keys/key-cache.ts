import { LRUCache } from 'lru-cache';
import type { KeyContext } from './key-context.ts';
import { bytesOfKeyRules } from './rules-bytes.ts';

/** Takes about 0.7 kB per key, 90 MB in all. With more keys in use, most requests need a lookup. */
export const MAX_KEYS = 120_000;
/** Bounds the rules of all cached keys, 1.7 kB each. Shared lists count for each key (intern-list.ts). */
const MAX_RULES_BYTES = 200_000_000;
const MAX_UNKNOWN = 10_000;
const KEY_MAX_AGE_MS = 10 * 60_000;
/** The cache reads the clock this often. Otherwise it would start a timer every millisecond. */
const CLOCK_RESOLUTION_MS = 1_000;
const UNKNOWN_MAX_AGE_MS = 5_000;
const KEY_BOUNDS = { max: MAX_KEYS, ttl: KEY_MAX_AGE_MS, ttlResolution: CLOCK_RESOLUTION_MS };

/**
 * Caches key contexts by lookup hash, bounded in number and age; never returns an expired key. The key watch
 * decides if entries are current. Unknown hashes have a separate cache, so invented keys evict no real ones.
 */
export class KeyCache {
  readonly #keys = new LRUCache<string, KeyContext>({
    ...KEY_BOUNDS,
    maxSize: MAX_RULES_BYTES,
    sizeCalculation: (key) => 1 + bytesOfKeyRules(key),
  });
  /** While the pepper is replaced: from a key's old hash to its cache key. */
  #hashByOldHash: LRUCache<string, string> | undefined;
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

  /** @param oldHash the hash under the old pepper; changes may name either */
  set(lookupHash: string, key: KeyContext | undefined, oldHash?: string): void {
    if (oldHash !== undefined && key !== undefined) {
      this.#hashByOldHash ??= new LRUCache(KEY_BOUNDS);
      this.#hashByOldHash.set(oldHash, lookupHash);
    }
    if (key === undefined) {
      this.#keys.delete(lookupHash);
      this.#unknown.set(lookupHash, true);
    } else {
      this.#keys.set(lookupHash, key);
    }
  }

  /** Forgets the key and its refusal: a suspended key may be active again. */
  drop(lookupHash: string): void {
    const cachedHash = this.#hashByOldHash?.get(lookupHash) ?? lookupHash;
    this.#keys.delete(cachedHash);
    this.#unknown.delete(cachedHash);
  }

  /**
   * Remembers the refusal, to save lookups. Only `drop` ends it, for example when an account is no longer
   * suspended.
   */
  markRevoked(lookupHash: string): void {
    const cachedHash = this.#hashByOldHash?.get(lookupHash) ?? lookupHash;
    this.#keys.delete(cachedHash);
    this.#unknown.set(cachedHash, true, { ttl: KEY_MAX_AGE_MS });
  }

  clear(): void {
    this.#keys.clear();
    this.#unknown.clear();
    this.#hashByOldHash?.clear();
  }

  #hasExpired({ expiresAtMs }: KeyContext): boolean {
    return expiresAtMs !== undefined && expiresAtMs <= this.#now();
  }
}

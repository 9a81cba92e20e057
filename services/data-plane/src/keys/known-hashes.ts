import { hash, randomBytes } from 'node:crypto';
import { API_KEY_LENGTH } from '@model-gateway/shared';
import { LRUCache } from 'lru-cache';
import { MAX_KEYS } from './key-cache.ts';

/**
 * Caches the lookup hashes of existing keys, which never change, in 0.1 kB each. Finds them by
 * SHA-256(random value of this process, key), which costs a quarter of a checksum and an HMAC. Like the HMAC,
 * whose pepper is in the same memory, this digest does not reveal the 256 random bits of a key.
 */
export class KnownHashes {
  readonly #random = randomBytes(32).toString('base64url');
  readonly #hashes = new LRUCache<string, string>({ max: MAX_KEYS });

  /** Returns the lookup hash; undefined for a text that is no cached key. */
  get(text: string): string | undefined {
    return text.length === API_KEY_LENGTH ? this.#hashes.get(this.#digest(text)) : undefined;
  }

  /** Call this only with a key that exists, so that invented keys evict no real ones. */
  set(rawKey: string, lookupHash: string): void {
    this.#hashes.set(this.#digest(rawKey), lookupHash);
  }

  #digest(text: string): string {
    return hash('sha256', this.#random + text, 'binary');
  }
}

/**
 * Names of what is kept in Redis. Everything one decision touches carries the same hash tag, so that
 * Redis Cluster keeps it on one shard.
 */
export class RedisKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  requestLog(hashTag: string, bucket: string): string {
    return `${this.#prefix}log:{${hashTag}}:${bucket}`;
  }

  streams(hashTag: string, bucket: string): string {
    return `${this.#prefix}streams:{${hashTag}}:${bucket}`;
  }

  tombstone(hashTag: string, keyId: string): string {
    return `${this.#prefix}tombstone:{${hashTag}}:${keyId}`;
  }

  /** Up to which revision what was revoked works again; earlier releases do not know it. */
  liftedTombstone(hashTag: string, keyId: string): string {
    return `${this.#prefix}tombstone-lifted:{${hashTag}}:${keyId}`;
  }

  /**
   * Not the name that earlier releases kept a marker under: they would take a number for a loss of
   * everything.
   */
  tombstoneCounter(hashTag: string): string {
    return `${this.#prefix}tombstones-until:{${hashTag}}`;
  }
}

/** What every key in Redis begins with, unless a test needs another. */
export const DEFAULT_KEY_PREFIX = 'gateway:';

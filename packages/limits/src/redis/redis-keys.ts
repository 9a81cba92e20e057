/**
 * The names of the keys in Redis. All keys of one decision carry the same hash tag, so that Redis Cluster
 * keeps them on one shard.
 */
export class RedisKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  requestLog(hashTag: string, bucket: string): string {
    return `${this.#prefix}log:{${hashTag}}:${bucket}`;
  }

  /** Returns the key that counts the bucket while its limit is large. */
  requestCells(hashTag: string, bucket: string): string {
    return `${this.#prefix}cells:{${hashTag}}:${bucket}`;
  }

  tokens(hashTag: string, bucket: string): string {
    return `${this.#prefix}tokens:{${hashTag}}:${bucket}`;
  }

  streams(hashTag: string, bucket: string): string {
    return `${this.#prefix}streams:{${hashTag}}:${bucket}`;
  }

  tombstone(hashTag: string, keyId: string): string {
    return `${this.#prefix}tombstone:{${hashTag}}:${keyId}`;
  }

  /** Holds the revision up to which a revoked key works again. */
  liftedTombstone(hashTag: string, keyId: string): string {
    return `${this.#prefix}tombstone-lifted:{${hashTag}}:${keyId}`;
  }

  tombstoneCounter(hashTag: string): string {
    return `${this.#prefix}tombstones-until:{${hashTag}}`;
  }

  /** @param hashTag the owner: its values are on one shard */
  value(hashTag: string, id: string): string {
    return `${this.#prefix}kept:{${hashTag}}:${id}`;
  }

  /** Counts the bytes that an owner of values has written. */
  writtenValues(hashTag: string): string {
    return `${this.#prefix}kept-bytes:{${hashTag}}`;
  }

  /** Holds what an owner of values has purged. */
  purges(hashTag: string): string {
    return `${this.#prefix}purges:{${hashTag}}`;
  }
}

/** The prefix of every key in Redis, unless a test needs another. */
export const DEFAULT_KEY_PREFIX = 'gateway:';

/** Returns the hash tag in the name of a key. */
export function hashTagIn(name: string): string {
  return /\{([^}]*)\}/.exec(name)?.[1] ?? name;
}

import { randomUUID } from 'node:crypto';
import { withDeadline } from './redis/deadline.ts';
import { markerTags } from './redis/marker-tags.ts';
import { RedisCalls } from './redis/redis-calls.ts';
import type { RedisConnection } from './redis/redis-connection.ts';
import { DEFAULT_KEY_PREFIX, RedisKeys } from './redis/redis-keys.ts';
import { RedisScript } from './redis/redis-script.ts';

export interface Tombstone {
  hashTag: string;
  keyId: string;
  /** Of the revocation; of several writers the highest stays. */
  revision: bigint;
}

export interface TombstonesOptions {
  keyPrefix?: string | undefined;
  /** Default 24 h, longer than any cache of keys. */
  ttlMs?: number | undefined;
}

export const TOMBSTONE_TTL_MS = 24 * 3_600_000;
const COMPLETE = 'complete';

/**
 * The revoked keys in Redis, where every admission sees them. A marker on each shard tells one that holds
 * all of them from one that lost its data. All methods throw what the connection throws, and
 * RedisTimeoutError; a write that timed out may have happened and is safe to repeat.
 */
export class Tombstones {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #ttlMs: number;
  readonly #markers: string[];
  readonly #write: RedisScript;
  readonly #complete: RedisScript;

  constructor(connection: RedisConnection, options: TombstonesOptions = {}) {
    this.#connection = connection;
    this.#keys = new RedisKeys(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#ttlMs = options.ttlMs ?? TOMBSTONE_TTL_MS;
    const calls = new RedisCalls(connection);
    this.#write = new RedisScript(calls, 'write-tombstone.lua');
    this.#complete = new RedisScript(calls, 'complete-marker.lua');
    this.#markers = markerTags(connection.isCluster).map((tag) => this.#keys.marker(tag));
  }

  /** @returns false when the same or a later revision was there */
  async write({ hashTag, keyId, revision }: Tombstone): Promise<boolean> {
    const key = this.#keys.tombstone(hashTag, keyId);
    return (await this.#write.run([key], [revision.toString(), this.#ttlMs])) === 1;
  }

  /** Whether every shard holds the tombstones that were written to it. */
  async hasMarker(): Promise<boolean> {
    const { client, commandTimeoutMs } = this.#connection;
    const markers = await Promise.all(
      this.#markers.map((marker) => withDeadline(client.get(marker), commandTimeoutMs)),
    );
    return markers.every((marker) => marker === COMPLETE);
  }

  /**
   * Writes all tombstones of the last 24 h again, then the markers.
   * @returns false when a shard lost its data meanwhile, or another process was writing; the next check tells
   */
  async restore(tombstones: AsyncIterable<Tombstone> | Iterable<Tombstone>): Promise<boolean> {
    const { client, commandTimeoutMs } = this.#connection;
    const attempt = randomUUID();
    await Promise.all(
      this.#markers.map((marker) => withDeadline(client.set(marker, attempt), commandTimeoutMs)),
    );
    for await (const tombstone of tombstones) await this.write(tombstone);
    const completed = await Promise.all(
      this.#markers.map((marker) => this.#complete.run([marker], [attempt, COMPLETE])),
    );
    return completed.every((answer) => answer === 1);
  }
}

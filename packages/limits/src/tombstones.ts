import { counterTags } from './redis/counter-tags.ts';
import { withDeadline } from './redis/deadline.ts';
import { RedisCalls } from './redis/redis-calls.ts';
import type { RedisConnection } from './redis/redis-connection.ts';
import { DEFAULT_KEY_PREFIX, RedisKeys } from './redis/redis-keys.ts';
import { RedisScript } from './redis/redis-script.ts';

export interface Tombstone {
  hashTag: string;
  keyId: string;
  /** The revision of the revocation; if several write, the highest one stays. */
  revision: bigint;
}

/** A key that was revoked or, if `lifted`, works again. */
export interface TombstoneChange extends Tombstone {
  lifted?: boolean | undefined;
}

export interface TombstonesOptions {
  keyPrefix?: string | undefined;
  /** Default 24 h, longer than any cache of keys. */
  ttlMs?: number | undefined;
}

const TOMBSTONE_TTL_MS = 24 * 3_600_000;
/** Commands sent together: few enough for a slow Redis to reply within the deadline of one. */
const AT_ONCE = 100;
const REVISION = /^\d{1,19}$/;

/**
 * The revoked keys in Redis, where every admission sees them. A counter per shard has the last written
 * revision: a shard that loses data (no persistence, early failover) loses the latest writes, so its counter
 * too. Methods throw errors of the connection and RedisTimeoutError; repeating a write is safe.
 */
export class Tombstones {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #ttlMs: number;
  readonly #counters: string[];
  readonly #write: RedisScript;
  readonly #lift: RedisScript;
  readonly #advance: RedisScript;

  constructor(connection: RedisConnection, options: TombstonesOptions = {}) {
    this.#connection = connection;
    this.#keys = new RedisKeys(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#ttlMs = options.ttlMs ?? TOMBSTONE_TTL_MS;
    const calls = new RedisCalls(connection);
    this.#write = new RedisScript(calls, 'revisions.lua', 'write-tombstone.lua');
    this.#lift = new RedisScript(calls, 'revisions.lua', 'lift-tombstone.lua');
    this.#advance = new RedisScript(calls, 'revisions.lua', 'advance-counter.lua');
    this.#counters = counterTags(connection.isCluster).map((tag) => this.#keys.tombstoneCounter(tag));
  }

  /** @param listener called whenever a connection is made: it may lead to another Redis than before */
  onConnect(listener: () => void): void {
    this.#connection.client.on('ready', listener);
  }

  /** @returns false when the same or a later revision was there, or when the key was lifted later */
  async write(tombstone: Tombstone): Promise<boolean> {
    return await this.#run(this.#write, tombstone);
  }

  /** Removes tombstones of the key up to this revision. @returns false when there is a later one */
  async lift(tombstone: Tombstone): Promise<boolean> {
    return await this.#run(this.#lift, tombstone);
  }

  /** Returns the revision up to which every shard has all tombstones; undefined if a shard has no counter. */
  async writtenUntil(): Promise<bigint | undefined> {
    const { client, commandTimeoutMs } = this.#connection;
    const texts = await inChunks(this.#counters, (counter) =>
      withDeadline(client.get(counter), commandTimeoutMs),
    );
    let lowest: bigint | undefined;
    for (const text of texts) {
      if (text === null || !REVISION.test(text)) return undefined;
      const revision = BigInt(text);
      if (lowest === undefined || revision < lowest) lowest = revision;
    }
    return lowest;
  }

  /**
   * Writes or lifts the tombstones after `from`, and then advances the counters. After that it checks that
   * all tombstones exist: a shard that was replaced in between has the counter, but may lack a tombstone.
   * @param changes in the order of their revisions
   * @param from undefined: these are the first ones, whatever the counters say
   * @returns false when a shard has lost data meanwhile, so that earlier ones may be missing, too
   */
  async append(changes: readonly TombstoneChange[], from: bigint | undefined): Promise<boolean> {
    // If a key was both revoked and lifted, only its last state counts.
    const latest = [...new Map(changes.map((change) => [change.keyId, change])).values()];
    const tombstones = latest.filter(({ lifted }) => lifted !== true);
    await inChunks(latest, (change) => (change.lifted === true ? this.lift(change) : this.write(change)));
    const until = changes.at(-1)?.revision ?? from ?? 0n;
    const advanced = await inChunks(this.#counters, (counter) => this.#advanceCounter(counter, from, until));
    if (advanced.includes(false)) return false;
    return (await this.revokedAmong(tombstones)).size === tombstones.length;
  }

  /** @returns the ids of those keys that have a tombstone */
  async revokedAmong(keys: readonly Pick<Tombstone, 'hashTag' | 'keyId'>[]): Promise<Set<string>> {
    const { client, commandTimeoutMs } = this.#connection;
    const found = await inChunks(keys, async ({ hashTag, keyId }) => {
      const count = await withDeadline(client.exists(this.#keys.tombstone(hashTag, keyId)), commandTimeoutMs);
      return count > 0 ? [keyId] : [];
    });
    return new Set(found.flat());
  }

  async #run(script: RedisScript, { hashTag, keyId, revision }: Tombstone): Promise<boolean> {
    const keys = [this.#keys.tombstone(hashTag, keyId), this.#keys.liftedTombstone(hashTag, keyId)];
    return (await script.run(keys, [revision.toString(), this.#ttlMs])) === 1;
  }

  async #advanceCounter(counter: string, from: bigint | undefined, until: bigint): Promise<boolean> {
    const { client, commandTimeoutMs } = this.#connection;
    if (from !== undefined) {
      return (await this.#advance.run([counter], [from.toString(), until.toString()])) === 1;
    }
    await withDeadline(client.set(counter, until.toString()), commandTimeoutMs);
    return true;
  }
}

async function inChunks<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  }
  return results;
}

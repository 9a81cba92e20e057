import { NodeBreakers } from './node-breakers.ts';
import { withDeadline } from './redis/deadline.ts';
import { FreeMemory } from './redis/free-memory.ts';
import { isSlotMoving } from './redis/moving-slot.ts';
import { RedisCalls } from './redis/redis-calls.ts';
import type { RedisConnection } from './redis/redis-connection.ts';
import { DEFAULT_KEY_PREFIX, hashTagIn, RedisKeys } from './redis/redis-keys.ts';
import { RedisScript } from './redis/redis-script.ts';

export interface ExpiringValuesOptions {
  ttlMs: number;
  /** Maximum bytes that one owner can have at a time. */
  maxBytesOfOwner: number;
  keyPrefix?: string | undefined;
  /** Called when Redis counts as down, and when it is up again. */
  onHealthChange?: ((isUp: boolean) => void) | undefined;
  probeIntervalMs?: number | undefined;
}

/** A value and the whole name under which it is saved. */
export interface NamedValue {
  name: string;
  bytes: Buffer;
}

/** Why values were not saved: their owner has too many, or Redis has too little memory left. */
type NotSaved = 'owner_full' | 'redis_full';

/** Thrown when Redis does not respond. The command may still have run. */
class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** Thrown when values exceed the reader's limit. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/**
 * Stores values that expire in Redis. All values of one owner are on one shard, so one command saves or reads
 * them. Half of Redis' memory is left for limits and revocations. While Redis is down, calls fail at once.
 */
export class ExpiringValues {
  readonly #connection: RedisConnection;
  readonly #options: ExpiringValuesOptions;
  readonly #keys: RedisKeys;
  readonly #calls: RedisCalls;
  readonly #save: RedisScript;
  readonly #read: RedisScript;
  readonly #freeMemory: FreeMemory;
  readonly #breakers: NodeBreakers;

  /** @param connection one that nothing else uses: a large value delays every command behind it */
  constructor(connection: RedisConnection, options: ExpiringValuesOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#keys = new RedisKeys(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#calls = new RedisCalls(connection);
    this.#save = new RedisScript(this.#calls, 'save-values.lua');
    this.#read = new RedisScript(this.#calls, 'read-values.lua');
    this.#freeMemory = new FreeMemory(connection);
    this.#breakers = new NodeBreakers({
      nodes: connection.nodes,
      probe: (hashTag) => this.#probe(hashTag),
      onChange: options.onHealthChange,
      probeIntervalMs: options.probeIntervalMs,
    });
  }

  /** Returns the whole name of a value in Redis. @param id has only characters that need no escape */
  nameOf(owner: string, id: string): string {
    return this.#keys.value(owner, id);
  }

  /**
   * Saves all of the values or none.
   * @returns why they were not saved; undefined: saved
   * @throws StoreUnavailable, but they may be saved; errors of Redis
   */
  async save(owner: string, values: readonly NamedValue[]): Promise<NotSaved | undefined> {
    const { ttlMs, maxBytesOfOwner } = this.#options;
    if (!this.#freeMemory.isAvailable()) return 'redis_full';
    const keys = [this.#keys.writtenValues(owner), ...values.map(({ name }) => name)];
    const args = [ttlMs, maxBytesOfOwner, ...values.map(({ bytes }) => bytes)];
    return (await this.#call(keys, () => this.#save.run(keys, args))) === 1 ? undefined : 'owner_full';
  }

  /**
   * @param names names from `nameOf`, all of one owner
   * @returns the values in the same order; undefined for each missing one
   * @throws TooManyBytes; StoreUnavailable; errors of Redis
   */
  async read(names: readonly string[], maxBytes: number): Promise<(Buffer | undefined)[]> {
    const reply = await this.#call(names, () => this.#read.run(names, [maxBytes]));
    if (!Array.isArray(reply)) throw new TooManyBytes(`the values have ${String(reply)} bytes`);
    return names.map((_, index) => (Buffer.isBuffer(reply[index]) ? reply[index] : undefined));
  }

  /** Removes values of one owner. @returns true: at least one existed @throws as `save` */
  async remove(names: readonly string[]): Promise<boolean> {
    return Number(await this.#call(names, () => this.#calls.send('unlink', [...names]))) > 0;
  }

  /** Ends the probes; the connection belongs to whoever opened it. */
  close(): void {
    this.#breakers.stop();
  }

  /** @param names names in Redis, all of one owner */
  async #call([name = '']: readonly string[], command: () => Promise<unknown>): Promise<unknown> {
    const hashTag = hashTagIn(name);
    if (!this.#breakers.isClosed(hashTag)) throw new StoreUnavailable('Redis has not responded for a while');
    try {
      const reply = await command();
      this.#breakers.succeeded(hashTag);
      return reply;
    } catch (error) {
      // An error reply shows that Redis is up: a full Redis can still be read.
      if (error instanceof Error && error.name === 'ReplyError') throw error;
      // Both shards answered, so values of other owners can be reached.
      if (!isSlotMoving(error)) this.#breakers.failed(hashTag);
      throw new StoreUnavailable('Redis does not respond', { cause: error });
    }
  }

  #probe(hashTag: string): Promise<unknown> {
    const { client, commandTimeoutMs } = this.#connection;
    return withDeadline(client.exists(this.#keys.writtenValues(hashTag)), commandTimeoutMs);
  }
}

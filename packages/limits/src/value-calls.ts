import { NodeBreakers } from './node-breakers.ts';
import { withDeadline } from './redis/deadline.ts';
import { FreeMemory } from './redis/free-memory.ts';
import { isSlotMoving } from './redis/moving-slot.ts';
import { RedisCalls } from './redis/redis-calls.ts';
import type { RedisConnection } from './redis/redis-connection.ts';
import { DEFAULT_KEY_PREFIX, hashTagIn, RedisKeys } from './redis/redis-keys.ts';
import { RedisScript } from './redis/redis-script.ts';

export interface ValueCallsOptions {
  keyPrefix?: string | undefined;
  /** Called when Redis counts as down, and when it is up again. */
  onHealthChange?: ((isUp: boolean) => void) | undefined;
  probeIntervalMs?: number | undefined;
}

/** Thrown when Redis does not respond. The command may still have run. */
class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** Commands about values of an owner, all of them on one shard. While Redis is down, they fail at once. */
export class ValueCalls {
  readonly keys: RedisKeys;
  readonly #connection: RedisConnection;
  readonly #calls: RedisCalls;
  readonly #freeMemory: FreeMemory;
  readonly #breakers: NodeBreakers;

  /** @param connection one that nothing else uses: a large value delays every command behind it */
  constructor(connection: RedisConnection, options: ValueCallsOptions) {
    this.#connection = connection;
    this.keys = new RedisKeys(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#calls = new RedisCalls(connection);
    this.#freeMemory = new FreeMemory(connection);
    this.#breakers = new NodeBreakers({
      nodes: connection.nodes,
      probe: (hashTag) => this.#probe(hashTag),
      onChange: options.onHealthChange,
      probeIntervalMs: options.probeIntervalMs,
    });
  }

  /** Returns false if the rest of Redis' memory is left to limits and revocations. */
  hasFreeMemory(): boolean {
    return this.#freeMemory.isAvailable();
  }

  script(...fileNames: readonly string[]): RedisScript {
    return new RedisScript(this.#calls, ...fileNames);
  }

  /** Ends the probes; the connection belongs to whoever opened it. */
  close(): void {
    this.#breakers.stop();
  }

  /** @throws StoreUnavailable, but the script may have run; errors of Redis */
  run(script: RedisScript, names: readonly string[], args: readonly (string | number | Buffer)[]) {
    return this.#guard(names, () => script.run(names, args));
  }

  /** @throws as `run` */
  send(command: string, names: readonly string[], args: readonly string[] = []): Promise<unknown> {
    return this.#guard(names, () => this.#calls.send(command, [...names, ...args]));
  }

  /** @param names names in Redis, all of one owner */
  async #guard([name = '']: readonly string[], command: () => Promise<unknown>): Promise<unknown> {
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
    return withDeadline(client.exists(this.keys.writtenValues(hashTag)), commandTimeoutMs);
  }
}

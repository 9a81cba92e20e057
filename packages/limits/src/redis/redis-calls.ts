import { listeningMs } from '@model-gateway/service-kit';
import calculateSlot from 'cluster-key-slot';
import { Command, Redis } from 'ioredis';
import { type DeadlineCommand, Deadlines } from './deadlines.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Scripts return numbers or bytes, which need no decoding. */
const UNDECODED = { replyEncoding: null };

/** A command with a deadline of its own: `commandTimeout` would cost a timer for each (measured: 0.7 µs). */
export class WatchedCommand extends Command implements DeadlineCommand {
  readonly sentAtMs = listeningMs();
  /** Saved, because a cluster client replaces `reject` by a function that may retry. */
  readonly rejectNow = this.reject;

  override setTimeout(): void {}
}

/** An encoded command. ioredis would convert, measure and join every argument. */
class EncodedCommand extends WatchedCommand {
  readonly #hashTag: string;
  readonly #encoded: string;

  constructor(name: string, hashTag: string, encoded: string) {
    super(name, [], UNDECODED);
    this.#hashTag = hashTag;
    this.#encoded = encoded;
  }

  override getSlot(): number {
    return calculateSlot(this.#hashTag);
  }

  override toWritable(): string {
    return this.#encoded;
  }
}

/**
 * Sends the commands of all requests in one iteration of the event loop together. Measured with 64 concurrent
 * requests: a decision takes 5 µs instead of 12, and Redis needs a third less time.
 */
export class RedisCalls {
  readonly #client: RedisConnection['client'];
  readonly #deadlines: Deadlines;
  #corked: Redis['stream'] | undefined;

  constructor({ client, commandTimeoutMs, isCluster }: RedisConnection) {
    this.#client = client;
    this.#deadlines = new Deadlines({ timeoutMs: commandTimeoutMs, inOrder: !isCluster });
  }

  /** @throws RedisTimeoutError, or whatever the connection throws */
  send(name: string, args: (string | number | Buffer)[]): Promise<unknown> {
    return this.#send(new WatchedCommand(name, args, UNDECODED));
  }

  /**
   * Sends a command that is encoded in RESP.
   * @param hashTag of all keys: the slot in a cluster
   * @throws as `send`
   */
  sendEncoded(name: string, hashTag: string, encoded: string): Promise<unknown> {
    return this.#send(new EncodedCommand(name, hashTag, encoded));
  }

  #send(command: WatchedCommand): Promise<unknown> {
    this.#deadlines.watch(command);
    this.#client.sendCommand(command);
    this.#corkNext();
    return command.promise;
  }

  /**
   * Sends all further commands of this iteration with one write. The first is sent at once: delaying it, too,
   * made 8 requests wait a third longer. Corking the socket preserves the order among all commands of the
   * client. A cluster has one socket per node, and none is corked.
   */
  #corkNext(): void {
    const client = this.#client;
    if (this.#corked !== undefined || !(client instanceof Redis) || client.status !== 'ready') return;
    // Uncork this very stream: a connection that was replaced meanwhile has another one.
    this.#corked = client.stream;
    this.#corked.cork();
    setImmediate(this.#uncork);
  }

  readonly #uncork = (): void => {
    this.#corked?.uncork();
    this.#corked = undefined;
  };
}

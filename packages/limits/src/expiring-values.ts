import type { RedisConnection } from './redis/redis-connection.ts';
import type { RedisScript } from './redis/redis-script.ts';
import { ValueCalls, type ValueCallsOptions } from './value-calls.ts';

export interface ExpiringValuesOptions extends ValueCallsOptions {
  /** How long values live at most. */
  ttlMs: number;
  /** Maximum bytes that one owner can have at a time. */
  maxBytesOfOwner: number;
  /** The bytes of an owner are counted by the part of `ttlMs`, out of this many, in which they expire. */
  slices?: number;
}

/** A value and the whole name under which it is saved. */
export interface NamedValue {
  name: string;
  bytes: Buffer;
}

/** Why values were not saved: their owner has too many, or Redis has too little memory left. */
export type NotSaved = 'owner_full' | 'redis_full';

/** Thrown when values exceed the reader's limit. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

export function sliceMs({ slices = 24, ttlMs }: Pick<ExpiringValuesOptions, 'slices' | 'ttlMs'>): number {
  return Math.ceil(ttlMs / slices);
}

/**
 * Stores values that expire in Redis. All values of one owner are on one shard, so one command saves or reads
 * them. Half of Redis' memory is left for limits and revocations. While Redis is down, calls fail at once.
 */
export class ExpiringValues {
  protected readonly calls: ValueCalls;
  readonly #options: ExpiringValuesOptions;
  readonly #save: RedisScript;
  readonly #read: RedisScript;

  /** @param connection one that nothing else uses: a large value delays every command behind it */
  constructor(connection: RedisConnection, options: ExpiringValuesOptions) {
    this.#options = options;
    this.calls = new ValueCalls(connection, options);
    this.#save = this.calls.script('value-bytes.lua', 'save-values.lua');
    this.#read = this.calls.script('read-values.lua');
  }

  /** Returns the whole name of a value in Redis. @param id has only characters that need no escape */
  nameOf(owner: string, id: string): string {
    return this.calls.keys.value(owner, id);
  }

  /**
   * Saves all of the values or none.
   * @param ttlMs how long they live; by default, as long as values can
   * @returns why they were not saved; undefined: saved
   * @throws StoreUnavailable, but they may be saved; errors of Redis
   */
  async save(
    owner: string,
    values: readonly NamedValue[],
    ttlMs = this.#options.ttlMs,
  ): Promise<NotSaved | undefined> {
    const { maxBytesOfOwner } = this.#options;
    if (!this.calls.hasFreeMemory()) return 'redis_full';
    const names = [this.calls.keys.writtenValues(owner), ...values.map(({ name }) => name)];
    const args = [ttlMs, maxBytesOfOwner, sliceMs(this.#options), ...values.map(({ bytes }) => bytes)];
    return (await this.calls.run(this.#save, names, args)) === 1 ? undefined : 'owner_full';
  }

  /**
   * @param names names from `nameOf`, all of one owner
   * @returns the values in the same order; undefined for each missing one
   * @throws TooManyBytes; StoreUnavailable; errors of Redis
   */
  async read(names: readonly string[], maxBytes: number): Promise<(Buffer | undefined)[]> {
    const reply = await this.calls.run(this.#read, names, [maxBytes]);
    if (!Array.isArray(reply)) throw new TooManyBytes(`the values have ${String(reply)} bytes`);
    return names.map((_, index) => (Buffer.isBuffer(reply[index]) ? reply[index] : undefined));
  }

  /** Removes values of one owner. @returns true: at least one existed @throws as `save` */
  async remove(names: readonly string[]): Promise<boolean> {
    return Number(await this.calls.send('unlink', names)) > 0;
  }

  /** Ends the probes; the connection belongs to whoever opened it. */
  close(): void {
    this.calls.close();
  }
}

import { ExpiringValues, type ExpiringValuesOptions } from './expiring-values.ts';
import type { RedisConnection } from './redis/redis-connection.ts';
import type { RedisScript } from './redis/redis-script.ts';

/** Bounds the marks of an owner, all of which each of its reads gets. Nobody purges so many by hand. */
const MAX_MARKS = 100;
/** Mark of all values. */
export const ALL_VALUES = 'all';

export interface UnpurgedValue {
  /** Time of the store, in milliseconds. */
  nowMs: number;
  /** Undefined: missing, or longer than the reader's limit. */
  value: Buffer | undefined;
  /** Time of the last purge by mark. */
  purges: ReadonlyMap<string, number>;
}

/**
 * Expiring values that can be purged by mark, such as all values of a model. A purge does not find them: it
 * records the time, and readers ignore values that were begun before.
 */
export class PurgeableValues extends ExpiringValues {
  readonly #ttlMs: number;
  readonly #readUnpurged: RedisScript;
  readonly #purge: RedisScript;

  constructor(connection: RedisConnection, options: ExpiringValuesOptions) {
    super(connection, options);
    this.#ttlMs = options.ttlMs;
    this.#readUnpurged = this.calls.script('value-bytes.lua', 'read-unpurged.lua');
    this.#purge = this.calls.script('value-bytes.lua', 'purge-values.lua');
  }

  /** @throws StoreUnavailable; errors of Redis */
  async readUnpurged(owner: string, name: string, maxBytes: number): Promise<UnpurgedValue> {
    const names = [name, this.calls.keys.purges(owner)];
    const reply = await this.calls.run(this.#readUnpurged, names, [maxBytes]);
    const [now, value, ...texts]: unknown[] = Array.isArray(reply) ? reply : [];
    const purges = new Map<string, number>();
    for (let index = 0; index < texts.length; index += 2)
      purges.set(String(texts[index]), Number(texts[index + 1]));
    return { nowMs: Number(now), value: Buffer.isBuffer(value) ? value : undefined, purges };
  }

  /** Purges the values with a mark, also those that are still being produced. @throws as `readUnpurged` */
  async purge(owner: string, mark: string): Promise<void> {
    const args = [mark, ALL_VALUES, MAX_MARKS, this.#ttlMs];
    await this.calls.run(this.#purge, [this.calls.keys.purges(owner)], args);
  }
}

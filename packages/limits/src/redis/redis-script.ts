import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { withDeadline } from './deadline.ts';
import type { RedisConnection } from './redis-connection.ts';

/** One Lua file next to this one. */
export class RedisScript {
  readonly #source: string;
  readonly #sha: string;

  constructor(fileName: string) {
    this.#source = readFileSync(new URL(fileName, import.meta.url), 'utf8');
    this.#sha = createHash('sha1').update(this.#source).digest('hex');
  }

  /**
   * One command; a second one only where Redis does not know the script yet.
   * @throws RedisTimeoutError, or whatever the connection throws
   */
  async run(
    { client, commandTimeoutMs }: RedisConnection,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await withDeadline(client.evalsha(this.#sha, keys.length, ...keys, ...args), commandTimeoutMs);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await withDeadline(client.eval(this.#source, keys.length, ...keys, ...args), commandTimeoutMs);
    }
  }
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisCalls } from './redis-calls.ts';

/** A Lua script from a file in this folder. */
export class RedisScript {
  readonly #calls: RedisCalls;
  readonly #source: string;
  readonly #sha: string;

  constructor(calls: RedisCalls, fileName: string) {
    this.#calls = calls;
    this.#source = readFileSync(new URL(fileName, import.meta.url), 'utf8');
    this.#sha = createHash('sha1').update(this.#source).digest('hex');
  }

  /**
   * Sends one command; a second one only if Redis does not know the script yet.
   * @throws RedisTimeoutError, or whatever the connection throws
   */
  run(keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args];
    return this.#calls.send('evalsha', [this.#sha, ...rest]).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.#calls.send('eval', [this.#source, ...rest]);
    });
  }
}

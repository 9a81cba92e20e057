import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisCalls } from './redis-calls.ts';

/** A Lua script from files in this folder; each one sees what those before it define. */
export class RedisScript {
  readonly #calls: RedisCalls;
  readonly #source: string;
  readonly #sha: string;

  constructor(calls: RedisCalls, ...fileNames: readonly string[]) {
    this.#calls = calls;
    this.#source = fileNames.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8')).join('\n');
    this.#sha = createHash('sha1').update(this.#source).digest('hex');
  }

  /**
   * Sends one command; a second one only if Redis does not know the script yet.
   * @throws RedisTimeoutError, or whatever the connection throws
   */
  run(keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    return this.#calls.send('evalsha', [this.#sha, keys.length, ...keys, ...args]).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.#calls.send('eval', [this.#source, keys.length, ...keys, ...args]);
    });
  }
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bulk, type EncodedCall } from './encoded-call.ts';
import type { RedisCalls } from './redis-calls.ts';

/** A Lua script from files in this folder; each one sees what those before it define. */
export class RedisScript {
  readonly #calls: RedisCalls;
  readonly #source: string;
  readonly #sha: string;
  readonly #hashBulks: string;

  constructor(calls: RedisCalls, ...fileNames: readonly string[]) {
    this.#calls = calls;
    this.#source = fileNames.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8')).join('\n');
    this.#sha = createHash('sha1').update(this.#source).digest('hex');
    this.#hashBulks = `${bulk('evalsha')}${bulk(this.#sha)}`;
  }

  /**
   * Sends one command; a second one only if Redis does not know the script yet.
   * @throws RedisTimeoutError, or whatever the connection throws
   */
  run(keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    return this.#calls.send('evalsha', [this.#sha, keys.length, ...keys, ...args]).catch((error: unknown) => {
      if (!isUnknownScript(error)) throw error;
      return this.#calls.send('eval', [this.#source, keys.length, ...keys, ...args]);
    });
  }

  /** Runs the script by its hash alone. @throws as `run`; on `isUnknownScript`, call `sendSource` */
  sendHash({ hashTag, count, bulks }: EncodedCall): Promise<unknown> {
    return this.#calls.sendEncoded('evalsha', hashTag, `*${2 + count}\r\n${this.#hashBulks}${bulks}`);
  }

  /** Runs the script by its source, which Redis then knows. @throws as `run` */
  sendSource({ hashTag, count, bulks }: EncodedCall): Promise<unknown> {
    const encoded = `*${2 + count}\r\n${bulk('eval')}${bulk(this.#source)}${bulks}`;
    return this.#calls.sendEncoded('eval', hashTag, encoded);
  }
}

export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

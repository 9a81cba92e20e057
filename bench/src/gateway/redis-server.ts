import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '@model-gateway/test-kit/free-port';
import { Redis } from 'ioredis';
import { Program, type ProgramOptions } from '../processes/program.ts';

const START_MS = 10_000;

/** A Redis for the benchmark alone, and its counters. */
export class RedisServer implements AsyncDisposable {
  readonly url: string;
  readonly #program: Program;
  readonly #client: Redis;

  private constructor(url: string, program: Program, client: Redis) {
    this.url = url;
    this.#program = program;
    this.#client = client;
  }

  /** @returns undefined if there is no redis-server */
  static async start(
    options: Pick<ProgramOptions, 'environment' | 'logDir'>,
  ): Promise<RedisServer | undefined> {
    const port = await freePort();
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', options.logDir, '--save', ''];
    let program: Program;
    try {
      program = await Program.start({ ...options, name: 'redis', command: 'redis-server', args });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    const url = `redis://127.0.0.1:${port}`;
    const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 200 });
    client.on('error', () => undefined);
    try {
      await Promise.race([client.ping(), refuseAfter(START_MS)]);
    } catch (error) {
      client.disconnect();
      await program[Symbol.asyncDispose]();
      throw error;
    }
    return new RedisServer(url, program, client);
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** Returns the number of script calls of all clients. Commands inside a script are not counted. */
  async scriptCalls(): Promise<number> {
    const text = await this.#client.info('commandstats');
    const calls = [...text.matchAll(/^cmdstat_(?:evalsha|eval|fcall):calls=(\d+)/gm)];
    return calls.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** Counts the commands that clients send during `work`, except our own and those of `exceptFrom`. */
  async commandsDuring(
    work: () => Promise<void>,
    exceptFrom: ReadonlySet<string>,
  ): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    // ioredis throws an error that nobody can catch if commands arrive together with the answer to MONITOR.
    const monitor = connect({ host: '127.0.0.1', port: Number(new URL(this.url).port) });
    monitor.on('error', () => undefined);
    const lines = createInterface({ input: monitor });
    lines.on('line', (line) => {
      const [, source = '', name = ''] = /^\+[\d.]+ \[\d+ (\S+)\] "([^"]*)"/.exec(line) ?? [];
      // Commands inside a script have the source `lua`.
      if (name === '' || source === 'lua' || exceptFrom.has(source)) return;
      const command = name.toUpperCase();
      counts[command] = (counts[command] ?? 0) + 1;
    });
    monitor.write('MONITOR\r\n');
    await once(lines, 'line');
    try {
      await work();
      // When this is answered, the monitor has seen all earlier commands.
      await this.#client.ping();
      return counts;
    } finally {
      monitor.destroy();
    }
  }

  /** Returns the addresses of all connected clients. */
  async clients(): Promise<Set<string>> {
    const text = String(await this.#client.call('CLIENT', 'LIST'));
    return new Set([...text.matchAll(/ addr=(\S+)/g)].map(([, address = '']) => address));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.disconnect();
    await this.#program[Symbol.asyncDispose]();
  }
}

async function refuseAfter(ms: number): Promise<never> {
  await wait(ms, undefined, { ref: false });
  throw new Error(`redis-server does not answer within ${ms / 1_000} s`);
}

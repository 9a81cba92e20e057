import { freePort } from '@model-gateway/test-kit/free-port';
import { Redis } from 'ioredis';
import { Program, type ProgramOptions } from '../processes/program.ts';

const START_MS = 10_000;

/** A Redis of the benchmark's own, and its counters. */
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
      await withTimeout(client.ping(), START_MS);
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

  /** How often scripts were called, whoever called them. Commands inside a script are not counted. */
  async scriptCalls(): Promise<number> {
    const text = await this.#client.info('commandstats');
    const calls = [...text.matchAll(/^cmdstat_(?:evalsha|eval|fcall):calls=(\d+)/gm)];
    return calls.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** The commands that clients send during `work`, by name, without our own and those of `exceptFrom`. */
  async commandsDuring(
    work: () => Promise<void>,
    exceptFrom: ReadonlySet<string>,
  ): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const connection = this.#client.duplicate();
    const monitor = await connection.monitor();
    for (const client of [connection, monitor]) client.on('error', () => undefined);
    monitor.on('monitor', (_time: string, [name = '']: string[], source: string) => {
      // Commands inside a script have this source.
      if (source === 'lua' || exceptFrom.has(source)) return;
      const command = name.toUpperCase();
      counts[command] = (counts[command] ?? 0) + 1;
    });
    try {
      await work();
      // Once this is answered, the monitor has seen everything that was sent before it.
      await this.#client.ping();
      return counts;
    } finally {
      monitor.disconnect();
      connection.disconnect();
    }
  }

  /** The addresses of all clients that are connected now. */
  async clients(): Promise<Set<string>> {
    const text = String(await this.#client.call('CLIENT', 'LIST'));
    return new Set([...text.matchAll(/ addr=(\S+)/g)].map(([, address = '']) => address));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.disconnect();
    await this.#program[Symbol.asyncDispose]();
  }
}

async function withTimeout<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`redis-server does not answer within ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface RedisServer {
  url: string;
  port: number;
  pid: number;
  /** Pauses the process, so that it behaves like a machine that hangs. */
  suspend(): void;
  resume(): void;
  /** Ends it at once; everything in it is lost. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

/**
 * Starts a `redis-server` without persistence.
 * @param settings further command-line arguments
 * @returns undefined when there is none on the PATH
 * @throws Error when it does not start
 */
export async function startRedisServer({
  port,
  settings = [],
}: {
  port?: number;
  settings?: readonly string[];
} = {}): Promise<RedisServer | undefined> {
  const chosenPort = port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-redis-'));
  const child = spawn(
    'redis-server',
    [
      '--port',
      `${chosenPort}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      'no',
      ...settings,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const started = new Promise<'ready' | 'missing'>((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => reject(new Error(`redis-server did not start:\n${output}`)),
      START_TIMEOUT_MS,
    );
    child.once('error', (error) => {
      clearTimeout(timer);
      if ('code' in error && error.code === 'ENOENT') resolve('missing');
      else reject(error);
    });
    child.once('exit', () => reject(new Error(`redis-server ended:\n${output}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-4_000);
      if (!output.includes('Ready to accept connections')) return;
      clearTimeout(timer);
      resolve('ready');
    });
  });
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const outcome = await started.catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await removeFolder();
    throw error;
  });
  const { pid } = child;
  if (outcome === 'missing' || pid === undefined) {
    await removeFolder();
    return undefined;
  }
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
    await removeFolder();
  };
  return {
    url: `redis://127.0.0.1:${chosenPort}`,
    port: chosenPort,
    pid,
    suspend: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Starts a `redis-server` as `startRedisServer` does. @throws Error when there is none on the PATH */
export async function startOwnRedis(options?: Parameters<typeof startRedisServer>[0]): Promise<RedisServer> {
  const server = await startRedisServer(options);
  if (server === undefined) throw new Error('there is no redis-server on the PATH');
  return server;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { TEST_SECRETS } from './test-secrets.ts';
import { until } from './until.ts';

const SERVICE = fileURLToPath(new URL('../../../scripts/service.ts', import.meta.url));
/** Long, because a busy machine starts a service many times slower than a quiet one. */
const START_TIMEOUT_MS = 150_000;

export type ServiceName = 'data-plane' | 'control-plane' | 'catalog' | 'dashboard';

/**
 * A service as operators run it: its own process, on ports that the operating system chose.
 */
export interface SpawnedService extends AsyncDisposable {
  name: ServiceName;
  pid: number;
  port: number;
  internalPort: number;
  /** Port of a control plane's management API; 0 for other services. */
  adminPort: number;
  /** Returns what it has written so far to standard output and standard error. */
  output(): string;
  hasEnded(): boolean;
  /** Resolves with the exit code and the signal. */
  exit: Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * @param modules URLs of modules that are loaded before the service, to break a part of it
 */
export async function spawnService(
  name: ServiceName,
  environment: Record<string, string> = {},
  modules: readonly string[] = [],
): Promise<SpawnedService> {
  const child = spawn(process.execPath, [...modules.flatMap((url) => ['--import', url]), SERVICE, name], {
    env: {
      PATH: process.env.PATH,
      // Without this cache, half of a start's CPU time is compiling.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      ...TEST_SECRETS,
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      ADMIN_PORT: '0',
      CONTROL_PLANE_ADDRESS: '127.0.0.1:9',
      DRAIN_TIMEOUT_MS: '100',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const exit = once(child, 'exit').then((): [number | null, NodeJS.Signals | null] => [
    child.exitCode,
    child.signalCode,
  ]);
  const listening = () => /"port":(\d+),"internal_port":(\d+),.*listening"/.exec(output);
  await until(() => listening() !== null || hasEnded(), START_TIMEOUT_MS);
  const [, port, internalPort] = listening() ?? [];
  const [, adminPort = '0'] = /"admin_port":(\d+)/.exec(output) ?? [];
  if (port === undefined) throw new Error(`${name} did not start: ${output}`);
  return {
    name,
    pid: child.pid ?? 0,
    port: Number(port),
    internalPort: Number(internalPort),
    adminPort: Number(adminPort),
    output: () => output,
    hasEnded,
    exit,
    kill: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      if (!hasEnded()) child.kill('SIGKILL');
      await exit;
    },
  };
}

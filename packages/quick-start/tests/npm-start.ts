import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { commandLineOf, isRunning } from '@model-gateway/service-kit';
import { until } from '@model-gateway/test-kit';
import { type DevelopmentFile, readDevelopmentFile } from '../src/data-dir/development-file.ts';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUNNING = 'Stop it: Ctrl-C';

export interface NpmStart {
  dataDir: string;
  output(): string;
  errors(): string;
  /** Resolves when the banner is printed; rejects when npm ends before. */
  running(): Promise<DevelopmentFile>;
  /** Sends a signal to npm and everything in its process group, as a terminal does. */
  signalGroup(signal: NodeJS.Signals): void;
  /** Sends a signal to npm alone, as a process manager does. */
  signal(signal: NodeJS.Signals): void;
  exitCode: Promise<number | null>;
}

export interface TemporaryDirectory extends AsyncDisposable {
  path: string;
}

/** Makes a directory. Its end removes it, and stops everything that was started on it and still runs. */
export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'gateway-start-'));
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Promise.all([...started.keys()].map((child) => endGroup(child, path)));
      const postgres = postgresPid(path);
      if (postgres !== undefined) process.kill(postgres, 'SIGQUIT');
      await until(() => postgresPid(path) === undefined);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

const started = new Map<ChildProcess, string>();

/** Runs `npm start -- ...args` without a terminal, in a process group of its own. */
export function npmStart(
  dataDir: string,
  args: string[] = [],
  environment: Record<string, string> = {},
): NpmStart {
  return startProgram('npm', ['start', '--'], dataDir, args, environment);
}

/**
 * Runs the program behind `npm start` directly, for tests of what it says and does itself, without waiting
 * for npm each time.
 */
export function startWithoutNpm(
  dataDir: string,
  args: string[] = [],
  environment: Record<string, string> = {},
  cwd = ROOT,
): NpmStart {
  const program = join(ROOT, 'packages/quick-start/src/main.ts');
  return startProgram(process.execPath, [program], dataDir, args, environment, cwd);
}

function startProgram(
  program: string,
  words: string[],
  dataDir: string,
  args: string[],
  environment: Record<string, string> = {},
  cwd = ROOT,
): NpmStart {
  const child = spawn(program, [...words, '--data-dir', dataDir, ...args], {
    cwd,
    detached: true,
    env: { ...process.env, NODE_ENV: 'development', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.set(child, dataDir);
  const text = { output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    text.output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    text.errors += chunk.toString();
  });
  const exitCode = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null));
  return {
    dataDir,
    output: () => text.output,
    errors: () => text.errors,
    async running() {
      await until(() => text.output.includes(RUNNING) || child.exitCode !== null, 300_000);
      const file = readDevelopmentFile(dataDir);
      if (!text.output.includes(RUNNING) || file === undefined) {
        throw new Error(`npm start ended with ${child.exitCode}: ${text.output}${text.errors}`);
      }
      return file;
    },
    signalGroup: (signal) => void process.kill(-(child.pid ?? 0), signal),
    signal: (signal) => void child.kill(signal),
    exitCode,
  };
}

const run = promisify(execFile);

/**
 * Runs gatewayctl for the gateway of this directory, without npm, which takes longer than most commands.
 * @returns its output
 */
export async function gatewayctl(dataDir: string, ...args: string[]): Promise<string> {
  const program = ['packages/cli/src/main.ts', '--data-dir', dataDir, ...args];
  const { stdout } = await run(process.execPath, program, { cwd: ROOT });
  return stdout;
}

/** Returns the names of the processes in dev.json that still run. */
export function stillRunning({ pids }: Pick<DevelopmentFile, 'pids'>): string[] {
  return Object.keys(pids).filter((name) => isRunning(pids[name] ?? 0));
}

/** Returns the process id of a process in dev.json. */
export function pidOf({ pids }: Pick<DevelopmentFile, 'pids'>, name: string): number {
  const pid = pids[name];
  if (pid === undefined) throw new Error(`dev.json has no process ${name}`);
  return pid;
}

async function endGroup(child: ChildProcess, dataDir: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || started.get(child) !== dataDir) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function postgresPid(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres/cluster/postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return commandLineOf(pid)?.includes(dataDir) ? pid : undefined;
}

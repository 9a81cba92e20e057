import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Environment, STARTED, stopProcess } from '@model-gateway/service-kit';
import { QuickStartError } from '../quick-start-error.ts';
import { HOST, PortTakenError } from './choose-port.ts';
import type { RunningProcess } from './restarted-process.ts';

export interface ProcessDefinition {
  name: string;
  /** The file that Node runs. */
  program: URL;
  environment: Environment;
  /** The ports on which it listens, by setting. */
  ports: Readonly<Record<string, number>>;
  /** The setting of the port that answers `readyPath` with 200 when the service can work. */
  readyPort: string;
  readyPath: string;
}

export interface ServiceProcess {
  name: string;
  /** The ports on which it listens, by setting; a restart keeps them. */
  ports: Readonly<Record<string, number>>;
  logFile: string;
  /** Its first run. */
  first: RunningProcess;
  /**
   * Starts it again, on the same ports, with the same log.
   * @throws QuickStartError when it does not start; PortTakenError
   */
  startAgain(signal: AbortSignal): Promise<RunningProcess>;
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Far more than a slow machine needs, so only a service that hangs fails. */
const READY_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 120_000;
const POLL_MS = 25;
/** Longer than the services need to cut running requests. */
const STOP_STEPS = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 2_000],
] as const;

/** Returns the argument by which a later start recognizes the processes of a data directory. */
export function processMark(dataDir: string): string {
  return `--data-dir=${dataDir}`;
}

/**
 * Starts a service as a process of its own that writes to `<data dir>/logs`. It is detached, so that Ctrl-C
 * in a terminal reaches only this process, which then stops everything in order. The service also stops by
 * itself when this process is gone, because its IPC channel closes then.
 * @returns when it listens
 * @throws QuickStartError when it does not start; PortTakenError when another program was faster to take one
 *   of its ports
 */
export async function startServiceProcess(
  dataDir: string,
  definition: ProcessDefinition,
  signal: AbortSignal,
): Promise<ServiceProcess> {
  const { name, ports } = definition;
  const logFile = prepareLogFile(dataDir, name);
  const start = async (signal: AbortSignal) => {
    const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    const child = spawnService(dataDir, definition, logFile);
    const giveUp = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
    if (await hasStarted(child, giveUp)) return runningProcess(child);
    signal.throwIfAborted();
    const lines = lastLines(logFile, size);
    const DidNotStart = lines.join().includes('EADDRINUSE') ? PortTakenError : QuickStartError;
    throw new DidNotStart([`${name} did not start:`, ...lines]);
  };
  return { name, ports, logFile, first: await start(signal), startAgain: start };
}

function runningProcess(child: ChildProcess): RunningProcess {
  const { pid = 0 } = child;
  const ended = (hasEnded(child) ? Promise.resolve() : once(child, 'exit')).then(() => howEnded(child));
  return {
    pid,
    ended,
    async stop() {
      if (!hasEnded(child)) await stopProcess(pid, STOP_STEPS);
      await ended;
    },
  };
}

function howEnded({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
}

function spawnService(
  dataDir: string,
  { program, environment, ports }: ProcessDefinition,
  logFile: string,
): ChildProcess {
  const portSettings = Object.entries(ports).map(([setting, port]) => [setting, String(port)]);
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(process.execPath, [fileURLToPath(program), processMark(dataDir)], {
      cwd: ROOT,
      detached: true,
      env: { ...environment, ...Object.fromEntries(portSettings) },
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}

/** Waits until the service listens. Kills it if the signal comes first. @returns false when it ended */
function hasStarted(child: ChildProcess, giveUp: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const kill = () => child.kill('SIGKILL');
    giveUp.addEventListener('abort', kill);
    if (giveUp.aborted) kill();
    // This event can also come later: when a signal cannot be delivered, or when a channel breaks.
    child.on('error', reject);
    child.once('exit', () => resolve(false));
    child.on('message', (message) => {
      if (message !== STARTED) return;
      giveUp.removeEventListener('abort', kill);
      resolve(true);
    });
  });
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/**
 * Resolves when the service can work.
 * @param signal its reason is thrown
 * @throws QuickStartError when that takes too long
 */
export async function waitUntilReady(
  { name, ports, logFile }: ServiceProcess,
  { readyPort, readyPath }: ProcessDefinition,
  signal: AbortSignal,
): Promise<void> {
  const url = `http://${HOST}:${ports[readyPort]}${readyPath}`;
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    if (await answersOk(url)) return;
    if (performance.now() > deadline) {
      throw new QuickStartError([
        `${name} is not ready after ${READY_TIMEOUT_MS / 1_000} s, see ${logFile}:`,
        ...lastLines(logFile),
      ]);
    }
    await wait(POLL_MS);
  }
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Prepares a new log for this start, and renames the previous one. */
function prepareLogFile(dataDir: string, name: string): string {
  const folder = join(dataDir, 'logs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${name}.log`);
  if (existsSync(file)) renameSync(file, `${file}.previous`);
  return file;
}

const LAST_BYTES = 16 * 1024;

/**
 * Returns the end of a log of any length, for an error message; also when it cannot be read.
 * @param since byte at which it begins
 */
export function lastLines(file: string, since = 0): string[] {
  let log: number | undefined;
  try {
    log = openSync(file, 'r');
    const { size } = fstatSync(log);
    const bytes = Buffer.alloc(Math.min(Math.max(size - since, 0), LAST_BYTES));
    const length = readSync(log, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, length).trimEnd().split('\n').slice(-5);
  } catch {
    return [];
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Environment, stopProcess } from '@model-gateway/service-kit';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const POLL_MS = 10;
const STOP_STEPS = [
  ['SIGTERM', 12_000],
  ['SIGKILL', 2_000],
] as const;

export interface ProgramOptions {
  name: string;
  command: string;
  args: readonly string[];
  environment: Environment;
  /** The folder for the file with its output. */
  logDir: string;
  /** The program runs on these cores only. */
  cores?: string | undefined;
  /** The program reports over an IPC channel, and ends when that closes. */
  ipc?: boolean;
}

/** A process that the benchmark starts, and ends by its id. */
export class Program implements AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  readonly #logFile: string;

  private constructor(name: string, child: ChildProcess, logFile: string) {
    this.name = name;
    this.child = child;
    this.pid = child.pid ?? 0;
    this.#logFile = logFile;
  }

  /** @throws when there is no such command */
  static async start(options: ProgramOptions): Promise<Program> {
    const { name, environment, logDir, cores, ipc = false } = options;
    const [command = '', ...args] = [
      ...(cores === undefined ? [] : ['taskset', '-c', cores]),
      options.command,
      ...options.args,
    ];
    const logFile = join(logDir, `${name}.log`);
    const log = openSync(logFile, 'a', 0o600);
    try {
      const child = spawn(command, args, {
        // By its folder, the next run finds a process that outlived this one, and stops it (work-dir.ts).
        cwd: ipc ? ROOT : logDir,
        env: { ...environment },
        // Ctrl-C in a terminal must reach the benchmark alone: it ends the other processes in order.
        detached: true,
        stdio: ipc ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      });
      const failed = once(child, 'error').then(([error]) => Promise.reject(error));
      await Promise.race([once(child, 'spawn'), failed]);
      failed.catch(() => undefined);
      return new Program(name, child, logFile);
    } finally {
      closeSync(log);
    }
  }

  /** Resolves to the first message over the IPC channel. @throws if the program ends instead */
  async firstMessage(timeoutMs: number): Promise<unknown> {
    const signal = AbortSignal.timeout(timeoutMs);
    const message = once(this.child, 'message', { signal }).then(([value]) => value);
    const ended = once(this.child, 'exit', { signal }).then(() => Promise.reject(this.#failure('ended')));
    try {
      return await Promise.race([message, ended]);
    } catch (error) {
      throw signal.aborted ? this.#failure('says nothing') : error;
    } finally {
      message.catch(() => undefined);
      ended.catch(() => undefined);
    }
  }

  /** Waits until the URL answers 200. @throws when it ends first or takes too long */
  async answers(url: string, timeoutMs: number): Promise<void> {
    await this.#ready(() => answersOk(url), timeoutMs);
  }

  /** Waits until its output contains the text. @throws when it ends first or takes too long */
  async writes(text: string, timeoutMs: number): Promise<void> {
    await this.#ready(() => readFileSync(this.#logFile, 'utf8').includes(text), timeoutMs);
  }

  async #ready(isReady: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    while (!(await isReady())) {
      if (this.hasEnded) throw this.#failure('ended while it was starting');
      if (performance.now() > deadlineMs) throw this.#failure(`is not ready after ${timeoutMs / 1_000} s`);
      await wait(POLL_MS);
    }
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.hasEnded) return;
    const exit = once(this.child, 'exit');
    await stopProcess(this.pid, STOP_STEPS);
    await exit;
  }

  #failure(what: string): Error {
    const lines = readFileSync(this.#logFile, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
    return new Error(`${this.name} ${what}:\n${lines}`);
  }
}

/**
 * Starts a TypeScript program of this repository, or of another copy of it.
 * @param options `root` is the folder of that copy, and `file` a path in it
 */
export function nodeProgram(
  options: Omit<ProgramOptions, 'command' | 'args'> & {
    root?: string | undefined;
    file: string;
    args?: readonly string[];
    nodeArgs?: readonly string[];
  },
): Promise<Program> {
  const { root = ROOT, file, args = [], nodeArgs = [], ...rest } = options;
  return Program.start({
    ...rest,
    command: process.execPath,
    args: [...nodeArgs, join(root, file), ...args],
  });
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

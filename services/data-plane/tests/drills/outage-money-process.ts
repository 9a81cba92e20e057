import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const READY_TIMEOUT_MS = 180_000;
const MAX_LINES = 200;

/** A service as a process that can be killed, frozen and started again at the same ports. */
export class ServiceProcess implements AsyncDisposable {
  readonly port: number;
  readonly internalPort: number;
  readonly #main: string;
  readonly #environment: Record<string, string>;
  readonly #root: string;
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;

  constructor(
    service: 'data-plane' | 'control-plane',
    ports: { port: number; internalPort: number },
    environment: Record<string, string>,
    /** Where the code is: this repository, or another release of it. */
    root = ROOT,
  ) {
    this.port = ports.port;
    this.internalPort = ports.internalPort;
    this.#main = `services/${service}/src/main.ts`;
    this.#environment = environment;
    this.#root = root;
  }

  /** The id of the current process, or of the last one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get hasEnded(): boolean {
    return this.#child === undefined || hasEnded(this.#child);
  }

  /** The last lines of its log. */
  get logText(): string {
    return this.#lines.join('');
  }

  /** Starts the process, again when it ends early, and resolves when it is ready. */
  async start(): Promise<void> {
    const deadlineMs = performance.now() + READY_TIMEOUT_MS;
    while (!(await this.#isReady())) {
      if (performance.now() > deadlineMs) throw new Error(`${this.#main} is not ready:\n${this.logText}`);
      if (this.#child === undefined || hasEnded(this.#child)) this.#spawn();
      await wait(20);
    }
  }

  /** Sends SIGKILL, and resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.#signalAndWait('SIGKILL');
  }

  /** Sends SIGTERM. @returns the exit code */
  async stop(): Promise<number | null> {
    return await this.#signalAndWait('SIGTERM');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #signalAndWait(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return child?.exitCode ?? null;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
    return child.exitCode;
  }

  #spawn(): void {
    const child = spawn(process.execPath, [this.#main], {
      cwd: this.#root,
      env: {
        PATH: process.env.PATH,
        // Without this cache, half of a start's CPU time is compiling.
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        HOST: '127.0.0.1',
        PORT: String(this.port),
        INTERNAL_PORT: String(this.internalPort),
        ADMIN_PORT: '0',
        LOG_LEVEL: 'warn',
        ...this.#environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (chunk: Buffer) => {
        this.#lines.push(chunk.toString());
        if (this.#lines.length > MAX_LINES) this.#lines.shift();
      });
    }
    this.#child = child;
  }

  async #isReady(): Promise<boolean> {
    if (this.#child === undefined || hasEnded(this.#child)) return false;
    try {
      const signal = AbortSignal.timeout(10_000);
      return (await fetch(`http://127.0.0.1:${this.internalPort}/health/ready`, { signal })).status === 200;
    } catch {
      return false;
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

import { setTimeout as wait } from 'node:timers/promises';

/** One run of a program. */
export interface RunningProcess {
  pid: number;
  /** Resolves when it has ended, for whatever reason, with how it ended: `signal SIGKILL`. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

export interface RestartedProcessOptions {
  name: string;
  /** Starts it again with the same ports and the same data. Rejects when it does not start. */
  start(signal: AbortSignal): Promise<RunningProcess>;
  /** Aborted when everything stops. A process that ends after that has not crashed. */
  signal: AbortSignal;
  /** Called when it runs again, as another process. An error that this throws is reported. */
  onRestarted(): void;
  /** Writes a line for the person who typed `npm start`. */
  report(line: string): void;
}

const MAX_CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 250;

/** A process that is started again when it ends unexpectedly. */
export class RestartedProcess {
  readonly name: string;
  /**
   * Resolves with the number of crashes when it has crashed too often within a minute. Then it is not started
   * again.
   */
  readonly givenUp: Promise<number>;
  readonly #options: RestartedProcessOptions;
  readonly #stop = new AbortController();
  readonly #stopping: AbortSignal;
  readonly #watching: Promise<void>;
  readonly #giveUp: (crashes: number) => void;
  #current: RunningProcess;
  #running = Promise.resolve();
  /**
   * Crash times, by a clock that runs only while the process does: slow starts must not hide a crash loop.
   */
  #crashesAtMs: number[] = [];
  #ranMs = 0;

  constructor(first: RunningProcess, options: RestartedProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#stopping = AbortSignal.any([options.signal, this.#stop.signal]);
    this.#current = first;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.givenUp = promise;
    this.#giveUp = resolve;
    this.#watching = this.#watch();
  }

  /** The process id of the latest run. During a restart, that run has ended. */
  get pid(): number {
    return this.#current.pid;
  }

  /** Resolves when no restart is running: mostly at once. */
  get running(): Promise<void> {
    return this.#running;
  }

  /** Stops it, also while it waits for its next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#current.stop();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    for (;;) {
      const startedAtMs = performance.now();
      const reason = await this.#current.ended;
      this.#ranMs += performance.now() - startedAtMs;
      const restart = this.#startAgain(reason);
      this.#running = restart.then(() => undefined);
      if (!(await restart)) return;
    }
  }

  async #startAgain(firstReason: string): Promise<boolean> {
    const { name, start, onRestarted, report } = this.#options;
    const signal = this.#stopping;
    for (let reason = firstReason; !signal.aborted; ) {
      const pauseMs = this.#countCrash();
      if (pauseMs === undefined) {
        this.#giveUp(MAX_CRASHES);
        return false;
      }
      report(`${name} ended unexpectedly (${reason}); starting it again in ${pauseMs / 1_000} s`);
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return false;
      try {
        this.#current = await start(signal);
      } catch (error) {
        reason = messageOf(error);
        continue;
      }
      if (signal.aborted) {
        await this.#current.stop();
        return false;
      }
      try {
        onRestarted();
      } catch (error) {
        // The process runs even if its restart cannot be recorded, for example because the disk is full.
        report(`${name} runs again, but this could not be recorded (${messageOf(error)})`);
      }
      return true;
    }
    return false;
  }

  /** @returns how long to wait before the next start; undefined when it has crashed too often */
  #countCrash(): number | undefined {
    const since = this.#ranMs - CRASH_WINDOW_MS;
    this.#crashesAtMs = [...this.#crashesAtMs.filter((atMs) => atMs > since), this.#ranMs];
    const crashes = this.#crashesAtMs.length;
    return crashes < MAX_CRASHES ? FIRST_PAUSE_MS * 2 ** (crashes - 1) : undefined;
  }
}

/** Returns the last line: if a program did not start, the last line of its log has the reason. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trimEnd().split('\n').at(-1) ?? text;
}

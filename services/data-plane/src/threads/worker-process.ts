import { type ChildProcess, fork } from 'node:child_process';
import type { JobRunner } from './job-queue.ts';

export interface WorkerProcessOptions {
  /** Upper bound of its heap. A job that needs more ends only this process. */
  heapMb: number;
  /** A job that takes longer is given up, and the process killed. */
  maxMs: number;
}

/**
 * Runs jobs in a process, for libraries that parse callers' bytes: a thread that runs out of memory can end
 * the whole data plane. The process gets no environment, so it knows no secrets.
 */
export class WorkerProcess<Answer> implements JobRunner<readonly Uint8Array[], Answer> {
  readonly #child: ChildProcess;
  readonly #maxMs: number;
  hasEnded = false;
  #answer: PromiseWithResolvers<Answer> | undefined;

  /** @param program receives the bytes of a job in order, then 'end', and answers with one message */
  constructor(program: URL, { heapMb, maxMs }: WorkerProcessOptions) {
    this.#maxMs = maxMs;
    this.#child = fork(program, {
      execArgv: [`--max-old-space-size=${heapMb}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // It must not keep this process alive, and ends with it.
    this.#child.unref();
    this.#child.channel?.unref();
    this.#child.on('message', (answer) => this.#answer?.resolve(answer as Answer));
    for (const event of ['error', 'exit', 'disconnect'] as const) {
      this.#child.on(event, () => this.#fail(new Error(`the worker process ended: ${event}`)));
    }
  }

  async run(chunks: readonly Uint8Array[]): Promise<Answer> {
    this.#answer = Promise.withResolvers();
    const { promise } = this.#answer;
    const timer = setTimeout(() => {
      this.#fail(new Error(`the worker process took over ${this.#maxMs} ms`));
      this.#kill();
    }, this.#maxMs).unref();
    try {
      await Promise.race([promise, this.#send(chunks)]);
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): Promise<void> {
    this.#kill();
    return Promise.resolve();
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Sends chunk after chunk, so that a large job never holds up the event loop. */
  async #send(chunks: readonly Uint8Array[]): Promise<void> {
    for (const message of [...chunks, 'end']) {
      if (this.hasEnded) return;
      await new Promise<void>((resolve) => {
        this.#child.send(message, () => resolve());
      });
    }
  }

  #fail(cause: Error): void {
    this.hasEnded = true;
    this.#answer?.reject(cause);
  }
}

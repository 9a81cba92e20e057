import { Worker } from 'node:worker_threads';
import type { JobRunner } from './job-queue.ts';

/** Runs jobs in a worker thread, which answers each message with one. */
export class WorkerThread<Task, Answer> implements JobRunner<Task, Answer> {
  readonly #worker: Worker;
  hasEnded = false;
  #answer: PromiseWithResolvers<Answer> | undefined;

  /**
   * @param program the file that the thread runs
   * @param heapMb upper bound of its heap. Growing beyond it by a single large value ends the whole process.
   */
  constructor(program: URL, heapMb: number) {
    this.#worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    // The thread must not keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (answer: Answer) => this.#answer?.resolve(answer));
    this.#worker.on('error', (cause) => {
      this.hasEnded = true;
      this.#answer?.reject(cause);
    });
  }

  async run(task: Task, moved: ArrayBuffer[]): Promise<Answer> {
    this.#answer = Promise.withResolvers();
    this.#worker.postMessage(task, moved);
    return await this.#answer.promise;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

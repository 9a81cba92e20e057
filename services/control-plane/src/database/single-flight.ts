import { inBackground } from '@model-gateway/service-kit';

/**
 * Runs work one run at a time. A request during a run starts another run afterwards, so every request is
 * followed by a complete run.
 */
export class SingleFlight {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #next: PromiseWithResolvers<void> | undefined;

  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  /** Starts a run, now or after the current one. */
  request(): void {
    this.#next ??= Promise.withResolvers<void>();
    if (this.#running !== undefined) return;
    this.#running = this.#run();
    inBackground(this.#running);
  }

  /** Resolves when a run that began after this request has ended, whether it succeeded or failed. */
  async requestAndWait(): Promise<void> {
    this.#next ??= Promise.withResolvers<void>();
    const { promise } = this.#next;
    this.request();
    await promise;
  }

  /** Resolves when nothing is running any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      for (let request = this.#next; request !== undefined; request = this.#next) {
        this.#next = undefined;
        try {
          await this.#work();
        } catch (error) {
          this.#onError(error);
        } finally {
          request.resolve();
        }
      }
    } finally {
      this.#running = undefined;
    }
  }
}

/**
 * Runs a piece of work, never twice at the same time. When it is requested while it runs, it runs once more
 * afterwards. So after every request there is a complete run that started later.
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

  /** Resolves when a run that began after this request has ended, whether it succeeded or failed. */
  request(): Promise<void> {
    this.#next ??= Promise.withResolvers<void>();
    const { promise } = this.#next;
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when nothing is running any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let turn = this.#next; turn !== undefined; turn = this.#next) {
      this.#next = undefined;
      try {
        await this.#work();
      } catch (error) {
        this.#onError(error);
      }
      turn.resolve();
    }
    this.#running = undefined;
  }
}

/**
 * Runs a piece of work at most once at a time. Asked for while it runs, it runs once more afterwards, so that
 * every request is followed by a complete run that started after it.
 */
export class SingleFlight {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  request(): void {
    if (this.#running !== undefined) this.#again = true;
    else this.#running = this.#run();
  }

  /** Resolves when nothing is running any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#work();
      } catch (error) {
        this.#onError(error);
      }
    } while (this.#again);
    this.#running = undefined;
  }
}

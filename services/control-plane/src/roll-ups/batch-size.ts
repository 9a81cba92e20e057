/** Batch size of a statement: halved after each failure (such as a statement timeout), doubled later. */
export class BatchSize {
  readonly #max: number;
  #size: number;

  constructor(max: number) {
    this.#max = max;
    this.#size = max;
  }

  /** Works until nothing is left. @param next does up to `size` and returns true when more may be left */
  async work(next: (size: number) => Promise<boolean>): Promise<void> {
    try {
      while (await next(this.#size));
      // Only when nothing is left: a size that was just too slow is not retried while others wait.
      this.#size = Math.min(this.#max, 2 * this.#size);
    } catch (error) {
      this.#size = Math.max(1, Math.floor(this.#size / 2));
      throw error;
    }
  }
}

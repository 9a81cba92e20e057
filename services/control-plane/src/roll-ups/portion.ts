/** How much one statement does: less after each failure, such as the time limit of statements, and more again later. */
export class Portion {
  readonly #most: number;
  #size: number;

  constructor(most: number) {
    this.#most = most;
    this.#size = most;
  }

  /**
   * Does work until nothing is left.
   * @param next does as much as it is told and says whether more may be left
   */
  async work(next: (size: number) => Promise<boolean>): Promise<void> {
    try {
      while (await next(this.#size));
      // Only when nothing is left: what was too slow a moment ago is not tried while others wait behind it.
      this.#size = Math.min(this.#most, 2 * this.#size);
    } catch (error) {
      this.#size = Math.max(1, Math.floor(this.#size / 2));
      throw error;
    }
  }
}

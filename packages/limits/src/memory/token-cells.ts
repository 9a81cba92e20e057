/**
 * Counts the tokens of one bucket in the window, per cell of a quarter of a second. All tokens of a cell
 * count as taken at its end, so never too early.
 */
export class TokenCells {
  /** Tokens by cell number, oldest first. A cell ends at its number times the length. */
  readonly #cells = new Map<number, number>();
  readonly #windowMicros: number;
  readonly #cellMicros: number;
  #sum = 0;

  constructor(windowMicros: number, cellMicros: number) {
    this.#windowMicros = windowMicros;
    this.#cellMicros = cellMicros;
  }

  get sum(): number {
    return this.#sum;
  }

  take(cell: number, tokens: number): void {
    this.#cells.set(cell, (this.#cells.get(cell) ?? 0) + tokens);
    this.#sum += tokens;
  }

  /** Does nothing if the cell has left the window. */
  correct(cell: number, difference: number): void {
    const tokens = this.#cells.get(cell);
    if (tokens === undefined) return;
    const corrected = Math.max(0, tokens + difference);
    this.#cells.set(cell, corrected);
    this.#sum += corrected - tokens;
  }

  dropExpired(now: number): void {
    for (const [cell, tokens] of this.#cells) {
      if (cell * this.#cellMicros > now - this.#windowMicros) return;
      this.#cells.delete(cell);
      this.#sum -= tokens;
    }
  }

  /**
   * Returns milliseconds until the oldest cell leaves or, if the wanted tokens do not fit, until they do;
   * rounded up; 0 when nothing is used.
   */
  millisecondsUntilFit(limit: number, wanted: number, now: number): number {
    if (wanted > limit) return Math.ceil(this.#windowMicros / 1_000);
    if (this.#sum === 0) return 0;
    let missing = this.#sum + wanted - limit;
    for (const [cell, tokens] of this.#cells) {
      if (missing > 0) missing -= tokens;
      if (missing <= 0) return Math.ceil((cell * this.#cellMicros + this.#windowMicros - now) / 1_000);
    }
    throw new RangeError(`${wanted} tokens never fit`);
  }
}

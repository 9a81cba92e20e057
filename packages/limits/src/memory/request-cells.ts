/**
 * Counts the requests of one bucket in the window, per cell of a few milliseconds. All requests of a cell
 * count as accepted at its end, so never too early.
 */
export class RequestCells {
  /** End of a cell, in microseconds → its requests; in the order of time. */
  readonly #cells = new Map<number, number>();
  readonly #windowMicros: number;
  readonly #cellMicros: number;
  #count = 0;

  constructor(windowMicros: number, cellMicros: number) {
    this.#windowMicros = windowMicros;
    this.#cellMicros = cellMicros;
  }

  get count(): number {
    return this.#count;
  }

  add(now: number): void {
    const end = (Math.floor(now / this.#cellMicros) + 1) * this.#cellMicros;
    this.#cells.set(end, (this.#cells.get(end) ?? 0) + 1);
    this.#count += 1;
  }

  dropExpired(now: number): void {
    for (const [end, requests] of this.#cells) {
      if (end > now - this.#windowMicros) return;
      this.#cells.delete(end);
      this.#count -= requests;
    }
  }

  /** The end of each cell and its requests, the oldest first. */
  cells(): Iterable<[end: number, requests: number]> {
    return this.#cells.entries();
  }
}

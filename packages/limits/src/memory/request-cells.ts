/**
 * How many requests of one bucket were accepted within the window, by cells of a few milliseconds. All
 * requests of a cell count as accepted when it ends, which is never earlier than they were.
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

/** A round has this many turns, so that items added together are done in different turns. */
const TURNS = 50;

/** Does periodic work for many items, a few at a time: thousands at once would block the process. */
export class StaggeredInterval<Item> {
  readonly #turns: readonly Set<Item>[] = Array.from({ length: TURNS }, () => new Set<Item>());
  readonly #everyMs: number;
  readonly #work: (items: Item[]) => void;
  #added = 0;
  /** How many turns are over. */
  #done = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param everyMs how often it is each item's turn; the first one comes within that time
   * @param work must not throw
   */
  constructor(everyMs: number, work: (items: Item[]) => void) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  start(): void {
    const startedAtMs = performance.now();
    const turnMs = this.#everyMs / TURNS;
    this.#timer = setInterval(() => {
      // The number of due turns follows from the clock. If it were counted, the delays of a busy process
      // would add up to rounds that take twice as long.
      const due = Math.floor((performance.now() - startedAtMs) / turnMs);
      this.#done = Math.max(this.#done, due - TURNS);
      while (this.#done < due) this.#take(this.#done++);
    }, turnMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #take(turn: number): void {
    const items = this.#turns[turn % TURNS];
    if (items !== undefined && items.size > 0) this.#work([...items]);
  }

  /** @returns a function that removes the item; it returns false when that was done before */
  add(item: Item): () => boolean {
    const items = this.#turns[this.#added++ % TURNS];
    items?.add(item);
    return () => items?.delete(item) === true;
  }
}

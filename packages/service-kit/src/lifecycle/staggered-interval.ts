/** As many turns make a round; what is added in one moment is done in different turns. */
const TURNS = 50;

/**
 * Has work done for each of many items every so often, a few at a time: for thousands at once it would hold up everything
 * else in this process for hundreds of milliseconds.
 */
export class StaggeredInterval<Item> {
  readonly #turns: readonly Set<Item>[] = Array.from({ length: TURNS }, () => new Set<Item>());
  readonly #everyMs: number;
  readonly #work: (items: Item[]) => void;
  #added = 0;
  #turn = 0;
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
    this.#timer = setInterval(() => {
      const items = this.#turns[this.#turn++ % TURNS];
      if (items !== undefined && items.size > 0) this.#work([...items]);
    }, this.#everyMs / TURNS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @returns ends it for this item; false when that was done before */
  add(item: Item): () => boolean {
    const items = this.#turns[this.#added++ % TURNS];
    items?.add(item);
    return () => items?.delete(item) === true;
  }
}

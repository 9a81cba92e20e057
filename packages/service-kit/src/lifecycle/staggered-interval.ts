import { LinkedList } from './linked-list.ts';
import { logFailure } from './unexpected-failure.ts';

/** An interval has this many slots, so that items added together are done in different slots. */
const SLOTS = 50;

/** Does periodic work for many items, a few at a time: thousands at once would block the process. */
export class StaggeredInterval<Item> {
  readonly #slots: readonly LinkedList<Item>[] = Array.from({ length: SLOTS }, () => new LinkedList<Item>());
  readonly #everyMs: number;
  readonly #work: (items: Item[]) => void;
  #added = 0;
  /** How many slots are over, since the start. */
  #done = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param everyMs the interval of each item; its first slot comes within that time
   * @param work its failure is logged
   */
  constructor(everyMs: number, work: (items: Item[]) => void) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  start(): void {
    const startedAtMs = performance.now();
    const slotMs = this.#everyMs / SLOTS;
    this.#timer = setInterval(() => {
      // The number of due slots follows from the clock. If ticks were counted, the delays of a busy process
      // would add up to intervals that take twice as long.
      const due = Math.floor((performance.now() - startedAtMs) / slotMs);
      this.#done = Math.max(this.#done, due - SLOTS);
      while (this.#done < due) this.#workOn(this.#done++);
    }, slotMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #workOn(slot: number): void {
    const items = this.#slots[slot % SLOTS];
    if (items === undefined || items.size === 0) return;
    try {
      this.#work(items.items());
    } catch (error) {
      logFailure(error);
    }
  }

  /** @returns a function that removes the item; it returns false when that was done before */
  add(item: Item): () => boolean {
    const items = this.#slots[this.#added++ % SLOTS];
    const entry = items?.add(item);
    return () => entry !== undefined && items?.remove(entry) === true;
  }
}

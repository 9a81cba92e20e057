/** Entry of a list. Pass it to `remove`. */
export class ListEntry<Item> {
  readonly item: Item;
  previous: ListEntry<Item> | undefined;
  next: ListEntry<Item> | undefined;
  isIn = true;

  constructor(item: Item, previous: ListEntry<Item> | undefined) {
    this.item = item;
    this.previous = previous;
  }
}

/**
 * Keeps items in the order in which they were added. Not a Set: V8 replaces its table every few changes, and
 * old tables keep removed items alive until a full garbage collection (docs/performance.md, "Pauses").
 */
export class LinkedList<Item> {
  #first: ListEntry<Item> | undefined;
  #last: ListEntry<Item> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): ListEntry<Item> {
    const entry = new ListEntry(item, this.#last);
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    this.#size++;
    return entry;
  }

  /** @returns false if it was already removed */
  remove(entry: ListEntry<Item>): boolean {
    if (!entry.isIn) return false;
    const { next, previous } = entry;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    entry.isIn = false;
    // A removed entry must keep no other one alive.
    entry.previous = undefined;
    entry.next = undefined;
    this.#size--;
    return true;
  }

  /** Returns a copy of the items. */
  items(): Item[] {
    const items: Item[] = [];
    for (let entry = this.#first; entry !== undefined; entry = entry.next) items.push(entry.item);
    return items;
  }
}

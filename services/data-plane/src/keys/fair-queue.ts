/** Queues items by key. Serving an item moves its key behind all others, so no key can starve another. */
export class FairQueue<Item> {
  /** Items by key; keys in the order in which they are served. */
  readonly #waiting = new Map<string, Item[]>();

  get keys(): number {
    return this.#waiting.size;
  }

  has(keyId: string): boolean {
    return this.#waiting.has(keyId);
  }

  /** Returns the waiting items of a key. */
  of(keyId: string): readonly Item[] {
    return this.#waiting.get(keyId) ?? [];
  }

  /** Returns the first item of each key, in the order in which keys are served. */
  firsts(): Item[] {
    return [...this.#waiting.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
  }

  all(): Item[] {
    return [...this.#waiting.values()].flat();
  }

  /** Adds an item. @param before true for items of its key that it precedes; by default it goes last */
  add(keyId: string, item: Item, before: (other: Item) => boolean = () => false): void {
    const others = this.#waiting.get(keyId) ?? [];
    const behind = others.findIndex(before);
    others.splice(behind === -1 ? others.length : behind, 0, item);
    this.#waiting.set(keyId, others);
  }

  /** Removes an item that is not served. @returns false if it was not waiting */
  leave(keyId: string, item: Item): boolean {
    const others = this.#waiting.get(keyId);
    const index = others?.indexOf(item) ?? -1;
    if (others === undefined || index === -1) return false;
    others.splice(index, 1);
    if (others.length === 0) this.#waiting.delete(keyId);
    return true;
  }

  /** Removes a served item, and moves its key behind all others. */
  served(keyId: string, item: Item): void {
    this.leave(keyId, item);
    const others = this.#waiting.get(keyId);
    if (others === undefined) return;
    this.#waiting.delete(keyId);
    this.#waiting.set(keyId, others);
  }
}

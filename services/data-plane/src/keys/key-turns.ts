/**
 * Those that wait, by their key. Keys have their turns one after another, however many of a key there are.
 */
export class KeyTurns<Item> {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Item[]>();

  /** How many keys have somebody waiting. */
  get keys(): number {
    return this.#waiting.size;
  }

  has(keyId: string): boolean {
    return this.#waiting.has(keyId);
  }

  of(keyId: string): readonly Item[] {
    return this.#waiting.get(keyId) ?? [];
  }

  /** The first of each key. */
  firsts(): Item[] {
    return [...this.#waiting.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
  }

  all(): Item[] {
    return [...this.#waiting.values()].flat();
  }

  /** @param before whom of its key it comes before; behind all of them by default */
  add(keyId: string, item: Item, before: (other: Item) => boolean = () => false): void {
    const others = this.#waiting.get(keyId) ?? [];
    const behind = others.findIndex(before);
    others.splice(behind === -1 ? others.length : behind, 0, item);
    this.#waiting.set(keyId, others);
  }

  /** @returns whether it waited */
  leave(keyId: string, item: Item): boolean {
    const others = this.#waiting.get(keyId);
    const index = others?.indexOf(item) ?? -1;
    if (others === undefined || index === -1) return false;
    others.splice(index, 1);
    if (others.length === 0) this.#waiting.delete(keyId);
    return true;
  }

  /** It has had its turn: its key is behind all others now. */
  served(keyId: string, item: Item): void {
    this.leave(keyId, item);
    const others = this.#waiting.get(keyId);
    if (others === undefined) return;
    this.#waiting.delete(keyId);
    this.#waiting.set(keyId, others);
  }
}

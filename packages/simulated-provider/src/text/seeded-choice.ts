import { createHash } from 'node:crypto';

/** Chooses pseudo-randomly from a seed: the same seed gives the same choices in the same order. */
export class SeededChoice {
  #state: number;

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  /** Returns a number from 0 to below 1. Mulberry32 (Tommy Ettinger, public domain). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** @throws if there is nothing to choose from */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  /** Picks different items; fewer than `count` if there are not as many. */
  pickSeveral<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items];
    const picked: Item[] = [];
    while (picked.length < count && left.length > 0) picked.push(...left.splice(this.below(left.length), 1));
    return picked;
  }
}

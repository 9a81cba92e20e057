import { createHash } from 'node:crypto';

/** Returns numbers from 0 up to, but not including, 1. */
export type Random = () => number;

/**
 * Returns the same numbers for the same seed (mulberry32). It is for made-up usage only, never for secrets.
 */
export function seededRandom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a whole number from `low` to `high`. Small numbers are more frequent, as in lengths of texts. */
export function skewed(random: Random, low: number, high: number): number {
  return Math.round(low * (high / low) ** random());
}

/** Returns one of the items, each as often as its weight says. @param items at least one */
export function pick<Item>(random: Random, items: readonly (readonly [Item, weight: number])[]): Item {
  let left = random() * items.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  const last = items.at(-1);
  if (last === undefined) throw new Error('nothing to pick from');
  return last[0];
}

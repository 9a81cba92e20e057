import { LRUCache } from 'lru-cache';

/** Bounds the memory of shared lists. One that is dropped is shared again from its next arrival on. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

const lists = new LRUCache<string, readonly string[]>({
  maxSize: MAX_CHARACTERS,
  sizeCalculation: (_list, text) => text.length,
});

/** Returns the same array for all lists with the same entries, to save memory. */
export function internList(entries: readonly string[]): readonly string[] {
  const text = JSON.stringify(entries);
  const known = lists.get(text);
  if (known !== undefined) return known;
  lists.set(text, entries);
  return entries;
}

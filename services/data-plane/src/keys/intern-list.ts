import { LRUCache } from 'lru-cache';

/** In characters. Lists beyond it are no longer shared, until they arrive again. */
const MAX_SIZE = 16 * 1024 * 1024;

const lists = new LRUCache<string, readonly string[]>({
  maxSize: MAX_SIZE,
  sizeCalculation: (_list, text) => text.length,
});

/** Returns one array for all lists with the same entries. */
export function internList(entries: readonly string[]): readonly string[] {
  const text = JSON.stringify(entries);
  const known = lists.get(text);
  if (known !== undefined) return known;
  lists.set(text, entries);
  return entries;
}

import { type FoundObject, SEARCHED_KINDS, type SearchStore } from './search-store.ts';

const MAX_FOUND = 20;
const DISPLAY_PREFIX = /^(gw_[a-z]+_[0-9A-Za-z]{8})[0-9A-Za-z]+$/;

/**
 * Finds objects of all accounts by their ids, names, addresses and key prefixes.
 * @returns at most 20: first those of which the text is a whole id, name or address
 */
export async function searchObjects(
  { searchStore }: { searchStore: Pick<SearchStore, 'find'> },
  text: string,
  signal: AbortSignal,
): Promise<FoundObject[]> {
  const wanted = withoutSecret(text.trim());
  if (wanted === '') return [];
  const isExact = ({ matched }: FoundObject) => matched.toLowerCase() === wanted.toLowerCase();
  const found = await searchStore.find(wanted, signal);
  const ranked = found.toSorted(
    (one, other) =>
      Number(isExact(other)) - Number(isExact(one)) ||
      SEARCHED_KINDS.indexOf(one.kind) - SEARCHED_KINDS.indexOf(other.kind) ||
      (one.label < other.label ? -1 : 1),
  );
  const byObject = Map.groupBy(ranked, ({ accountId, id, kind }) => `${kind} ${accountId} ${id}`);
  return [...byObject.values()].flatMap(([best]) => best ?? []).slice(0, MAX_FOUND);
}

/** Cuts a raw key to the prefix that lists show. */
function withoutSecret(text: string): string {
  return text.replace(DISPLAY_PREFIX, '$1');
}

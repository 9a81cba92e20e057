import { globMatcher } from './glob-matcher.ts';
import { networkPrefix } from './network-matcher.ts';

/** Bounds the work, which grows with the product of the lists: comparisons of the parts between `*`. */
const MAX_WORK = 200_000;
const MAX_GLOBS = 100;
/** Bounds the pairs of characters that are compared in all pairs of globs. */
const MAX_PLACES = 5_000;

type List = readonly string[];
/** An entry of a list. It covers another one if it covers its `probe`. */
interface Entry {
  text: string;
  probe: string;
  /** Parts of which `covers` looks for each. */
  parts: number;
  covers: (probe: string) => boolean;
}
type ReadEntry = (text: string) => Entry;
const NONE: ReadonlySet<string> = new Set();
type Intersect = (one: Entry, other: Entry) => string[] | undefined;

/**
 * Returns globs that match an id exactly if each list has a glob that matches it. If there would be too many,
 * returns one text with the lists themselves, to show: `(a | b*) & (*c | d)`.
 */
export function intersectGlobs(lists: readonly List[]): string[] {
  const places = { left: MAX_PLACES };
  return intersectAll(lists, globEntry, (one, other) => intersectTwoGlobs(one.text, other.text, places));
}

/** Returns networks with exactly the addresses that each list contains. */
export function intersectNetworks(lists: readonly List[]): string[] {
  return intersectAll(lists, networkEntry, () => []);
}

function intersectAll(lists: readonly List[], read: ReadEntry, intersectApart: Intersect): string[] {
  let result = withoutCovered(lists[0] ?? [], read);
  for (const list of lists.slice(1)) {
    const others = list.map(read);
    if (workOf(result, others) > MAX_WORK) return conjunction(lists);
    const found = new Set<string>();
    for (const one of result) {
      for (const other of others) {
        const both = intersectTwo(one, other, intersectApart);
        for (const each of both ?? []) found.add(each);
        if (both === undefined || found.size > MAX_GLOBS) return conjunction(lists);
      }
    }
    result = withoutCovered([...found], read);
  }
  return result.map(({ text }) => text);
}

/** @param intersectApart for entries of which neither covers the other */
function intersectTwo(one: Entry, other: Entry, intersectApart: Intersect): string[] | undefined {
  if (other.covers(one.probe)) return [one.text];
  if (one.covers(other.probe)) return [other.text];
  return intersectApart(one, other);
}

function conjunction(lists: readonly List[]): string[] {
  return [lists.map((list) => `(${list.join(' | ')})`).join(' & ')];
}

function workOf(some: readonly Entry[], others: readonly Entry[]): number {
  const partsOf = (entries: readonly Entry[]) => entries.reduce((sum, { parts }) => sum + parts, 0);
  return partsOf(some) * others.length + partsOf(others) * some.length;
}

/** Drops entries that lie within another one, unless finding them would take long. */
function withoutCovered(texts: List, read: ReadEntry): Entry[] {
  const unique = [...new Set(texts)].map(read);
  if (workOf(unique, unique) > MAX_WORK) return unique;
  return unique.filter(
    (entry, index) =>
      !unique.some(
        (other, place) =>
          place !== index && other.covers(entry.probe) && (place < index || !entry.covers(other.probe)),
      ),
  );
}

/**
 * Returns globs that together match what both match. Reads both from the left: where one has `*`, it either
 * ends here or takes the next character of the other.
 * @param places counts down the pairs of characters that are read
 * @returns undefined if there would be too many globs or places
 */
function intersectTwoGlobs(one: string, other: string, places: { left: number }): string[] | undefined {
  if (!one.includes('*') || !other.includes('*')) return [];
  /** Results by the two places, so that each pair of places is read once. */
  const known = new Map<number, ReadonlySet<string>>();
  const read = (at: number, otherAt: number): ReadonlySet<string> => {
    const place = at * (other.length + 1) + otherAt;
    const before = known.get(place);
    if (before !== undefined) return before;
    if (places.left <= 0) return NONE;
    places.left -= 1;
    const found = new Set<string>();
    const [mark, otherMark] = [one[at], other[otherAt]];
    const add = (head: string, rests: ReadonlySet<string>) => {
      for (const rest of rests) if (found.size <= MAX_GLOBS) found.add(joinGlobs(head, rest));
    };
    if (mark === undefined && otherMark === undefined) found.add('');
    else if (mark === '*' && otherMark === '*') {
      add('*', read(at + 1, otherAt));
      add('*', read(at, otherAt + 1));
    } else if (mark === '*') {
      add('', read(at + 1, otherAt));
      if (otherMark !== undefined) add(otherMark, read(at, otherAt + 1));
    } else if (otherMark === '*') {
      add('', read(at, otherAt + 1));
      if (mark !== undefined) add(mark, read(at + 1, otherAt));
    } else if (mark !== undefined && mark === otherMark) add(mark, read(at + 1, otherAt + 1));
    known.set(place, found);
    return found;
  };
  const found = read(0, 0);
  return found.size > MAX_GLOBS || places.left <= 0 ? undefined : [...found];
}

function joinGlobs(head: string, rest: string): string {
  return head === '*' && rest.startsWith('*') ? rest : head + rest;
}

/** Replaces `*` in the inner glob, so that only a `*` of the outer one matches it. */
const ANY_TEXT = '\uFFFF';

function globEntry(text: string): Entry {
  const parts = text.split('*').length;
  return { text, probe: text.replaceAll('*', ANY_TEXT), parts, covers: globMatcher([text]) };
}

function networkEntry(text: string): Entry {
  const prefix = networkPrefix(text);
  return { text, probe: prefix, parts: 1, covers: (other) => other.startsWith(prefix) };
}

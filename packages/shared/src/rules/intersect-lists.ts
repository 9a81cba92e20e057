import { BlockList, isIPv6 } from 'node:net';
import { globMatcher } from './glob-matcher.ts';

/** Bounds the work, which grows with the product of the lists. */
const MAX_PAIRS = 10_000;
const MAX_GLOBS = 100;

type List = readonly string[];
type Intersect = (one: string, other: string) => string[] | undefined;

/**
 * Returns globs that match an id exactly if each list has a glob that matches it. If there would be too many,
 * returns one text with the lists themselves, to show: `(a | b*) & (*c | d)`.
 */
export function intersectGlobs(lists: readonly List[]): string[] {
  return intersectAll(lists, intersectTwoGlobs, isGlobWithin);
}

/** Returns networks with exactly the addresses that each list contains. */
export function intersectNetworks(lists: readonly List[]): string[] {
  const intersect: Intersect = (one, other) =>
    isNetworkWithin(one, other) ? [one] : isNetworkWithin(other, one) ? [other] : [];
  return intersectAll(lists, intersect, isNetworkWithin);
}

function intersectAll(
  lists: readonly List[],
  intersect: Intersect,
  isWithin: (inner: string, outer: string) => boolean,
): string[] {
  let result = withoutCovered(lists[0] ?? [], isWithin);
  for (const list of lists.slice(1)) {
    if (result.length * list.length > MAX_PAIRS) return conjunction(lists);
    const found = new Set<string>();
    for (const one of result) {
      for (const other of list) {
        const both = intersect(one, other);
        for (const each of both ?? []) found.add(each);
        if (both === undefined || found.size > MAX_GLOBS) return conjunction(lists);
      }
    }
    result = withoutCovered([...found], isWithin);
  }
  return result;
}

function conjunction(lists: readonly List[]): string[] {
  return [lists.map((list) => `(${list.join(' | ')})`).join(' & ')];
}

/** Drops entries that lie within another one. */
function withoutCovered(entries: List, isWithin: (inner: string, outer: string) => boolean): string[] {
  const unique = [...new Set(entries)];
  return unique.filter(
    (entry, index) =>
      !unique.some(
        (other, place) =>
          place !== index && isWithin(entry, other) && (place < index || !isWithin(other, entry)),
      ),
  );
}

/**
 * Returns globs that together match what both match. Reads both from the left: where one has `*`, it either
 * ends here or takes the next character of the other.
 * @returns undefined if there would be too many
 */
function intersectTwoGlobs(one: string, other: string): string[] | undefined {
  if (isGlobWithin(one, other)) return [one];
  if (isGlobWithin(other, one)) return [other];
  if (!one.includes('*') || !other.includes('*')) return [];
  /** Results by the two places, so that each pair of places is read once. */
  const known = new Map<number, Set<string>>();
  const read = (at: number, otherAt: number): Set<string> => {
    const place = at * (other.length + 1) + otherAt;
    const before = known.get(place);
    if (before !== undefined) return before;
    const found = new Set<string>();
    const [mark, otherMark] = [one[at], other[otherAt]];
    const add = (head: string, rests: Set<string>) => {
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
  return found.size > MAX_GLOBS ? undefined : [...found];
}

function joinGlobs(head: string, rest: string): string {
  return head === '*' && rest.startsWith('*') ? rest : head + rest;
}

/** Replaces `*` in the inner glob, so that only a `*` of the outer one matches it. */
const ANY_TEXT = '\uFFFF';

function isGlobWithin(inner: string, outer: string): boolean {
  return globMatcher([outer])(inner.replaceAll('*', ANY_TEXT));
}

function isNetworkWithin(inner: string, outer: string): boolean {
  const [base = '', bits] = inner.split('/');
  const [outerBase = '', outerBits] = outer.split('/');
  const family = isIPv6(base) ? 'ipv6' : 'ipv4';
  if ((isIPv6(outerBase) ? 'ipv6' : 'ipv4') !== family) return false;
  const full = family === 'ipv6' ? 128 : 32;
  const [innerLength, outerLength] = [Number(bits ?? full), Number(outerBits ?? full)];
  if (innerLength < outerLength) return false;
  const network = new BlockList();
  network.addSubnet(outerBase, outerLength, family);
  return network.check(base, family);
}

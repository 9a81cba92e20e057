import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that may break parsers and translations. */
const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e21,
  1e308,
  -(2 ** 53),
  2 ** 31,
  '',
  ' ',
  'a',
  '\0',
  '\ud800',
  '\u2028',
  '-1',
  '1e999',
  'null',
  '[]',
  '{}',
  '{"a":1}',
  '{"a":',
  'data:image/png;base64,AAAA',
  'data:,',
  'https://a.example/b',
  'https://[',
  '../../a',
  'a\r\nb: c',
  'x'.repeat(3_000),
  '__proto__',
  [],
  [null],
  [[]],
  ['a', 'a'],
  {},
  { type: 'a' },
  { '': null },
  { constructor: { prototype: 1 } },
];
const MAX_EDITS = 5;
/** Bounds the growth by repeated copies. */
const MAX_NODES = 2_000;

const EDITS = ['remove', 'set', 'set', 'set', 'copy', 'move', 'wrap', 'rename', 'cut', 'repeat'] as const;

interface Edit {
  kind: (typeof EDITS)[number];
  /** Which value, modulo how many there are. */
  at: number;
  other: number;
  value: Json;
}

/** Returns JSON that differs from one of the seeds in a few places, also by values of other seeds. */
export function mutatedJson(seeds: readonly Json[], odd: readonly Json[] = []): fc.Arbitrary<Json> {
  const foreign = seeds.flatMap((seed) => placesIn(seed).map(({ holder, name }) => valueAt(holder, name)));
  const edit: fc.Arbitrary<Edit> = fc.record({
    kind: fc.constantFrom(...EDITS),
    at: fc.nat(100_000),
    other: fc.nat(100_000),
    value: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...ODD, ...odd) },
      {
        weight: 3,
        arbitrary: fc.nat(Math.max(0, foreign.length - 1)).map((index) => foreign[index] ?? null),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
      { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
      { weight: 1, arbitrary: fc.integer() },
    ),
  });
  return fc
    .tuple(fc.nat(seeds.length - 1), fc.array(edit, { maxLength: MAX_EDITS }))
    .map(([seed, edits]) => edits.reduce(edited, structuredClone(seeds[seed] ?? null)));
}

interface Place {
  holder: Json[] | { [name: string]: Json };
  name: string;
}

/** Returns the place of each value below the root. */
function placesIn(root: Json, places: Place[] = []): Place[] {
  if (typeof root !== 'object' || root === null || places.length > MAX_NODES) return places;
  for (const [name, value] of Object.entries(root)) {
    places.push({ holder: root, name });
    placesIn(value, places);
  }
  return places;
}

function valueAt(holder: Place['holder'], name: string): Json {
  return (Array.isArray(holder) ? holder[Number(name)] : holder[name]) ?? null;
}

function edited(root: Json, { at, kind, other, value }: Edit): Json {
  const places = placesIn(root);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return kind === 'set' ? structuredClone(value) : root;
  const from = places[other % places.length] ?? place;
  const here = valueAt(place.holder, place.name);
  switch (kind) {
    case 'remove':
      if (Array.isArray(place.holder)) place.holder.splice(Number(place.name), 1);
      else delete place.holder[place.name];
      break;
    case 'set':
      put(place, structuredClone(value));
      break;
    case 'copy':
      put(place, structuredClone(valueAt(from.holder, from.name)));
      break;
    case 'move':
      put(place, structuredClone(valueAt(from.holder, from.name)));
      put(from, structuredClone(here));
      break;
    case 'wrap':
      put(place, [structuredClone(here)]);
      break;
    case 'rename':
      if (Array.isArray(place.holder)) place.holder.reverse();
      else {
        delete place.holder[place.name];
        put({ ...place, name: from.name }, here);
      }
      break;
    case 'cut':
      if (Array.isArray(place.holder)) place.holder.length = Number(place.name);
      else if (typeof here === 'string') put(place, here.slice(0, other % (here.length + 1)));
      break;
    case 'repeat':
      if (!Array.isArray(place.holder)) break;
      place.holder.splice(
        Number(place.name),
        0,
        ...Array.from({ length: 1 + (other % 3) }, () => structuredClone(here)),
      );
  }
  return root;
}

/** Also sets a member called `__proto__`, as `JSON.parse` does. */
function put({ holder, name }: Place, value: Json): void {
  Object.defineProperty(holder, name, { value, configurable: true, enumerable: true, writable: true });
}

const TEXT_EDITS = ['cut', 'remove', 'insert', 'insert', 'replace', 'replace', 'repeat', 'swap'] as const;

/**
 * Returns text that differs from one of the seeds in a few places. For bytes, text of latin1.
 * @param tokens pieces that mean something to the parser
 */
export function mutatedText(
  seeds: readonly string[],
  tokens: readonly string[],
  unit: fc.Arbitrary<string> = fc.nat(255).map((code) => String.fromCharCode(code)),
): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...tokens) },
    { weight: 2, arbitrary: fc.string({ unit, minLength: 1, maxLength: 6 }) },
  );
  const edit = fc.record({
    kind: fc.constantFrom(...TEXT_EDITS),
    at: fc.nat(1_000_000),
    length: fc.oneof({ weight: 4, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(300) }),
    piece,
    times: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.nat(500) }),
  });
  return fc.tuple(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 8 })).map(([seed, edits]) => {
    let text = seed;
    for (const { at: place, kind, length, piece: given, times } of edits) {
      const at = place % (text.length + 1);
      const [before, after] = [text.slice(0, at), text.slice(at)];
      if (kind === 'cut') text = before;
      else if (kind === 'remove') text = before + after.slice(length);
      else if (kind === 'insert') text = before + given.repeat(times) + after;
      else if (kind === 'replace') text = before + given + after.slice(given.length);
      else if (kind === 'repeat')
        text = before + after.slice(0, length).repeat(times + 1) + after.slice(length);
      else text = after + before;
    }
    return text;
  });
}

/** Sizes of the chunks in which a network may deliver; the last one repeats. */
export const chunkSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

export function cutInto(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0, index = 0; start < bytes.length; index++) {
    const size = sizes[Math.min(index, sizes.length - 1)] ?? 1;
    chunks.push(bytes.subarray(start, start + size));
    start += size;
  }
  return chunks;
}

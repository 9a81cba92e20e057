import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandedInput } from './expanded-input.ts';
import { elementsOf } from './json-elements.ts';

const space = fc.constantFrom('', ' ', '\n', '\t ', '  ');
/** Texts in which everything looks like the end of something. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',') }),
);
const item = fc.oneof(
  fc.record({ type: fc.constantFrom('message', 'reasoning'), content: text }),
  fc.record({ type: fc.constant('function_call'), arguments: fc.json() }),
  fc.record({ id: text, deep: fc.jsonValue() }),
);
/** An array of items with spaces anywhere, and the JSON of each. */
const items = fc
  .array(fc.tuple(item, space, space))
  .map((entries) => entries.map(([value, ...spaces]) => ({ value, spaces })));

function written(entries: readonly { value: unknown; spaces: string[] }[]): Buffer {
  const inner = entries.map(
    ({ value, spaces: [before, after] }) => `${before}${JSON.stringify(value)}${after}`,
  );
  return Buffer.from(`[${inner.join(',')}]`);
}

/** In pieces, as a body arrives. */
function inPieces(json: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  for (const size of sizes) {
    if (start >= json.length) break;
    pieces.push(json.subarray(start, start + size));
    start += size;
  }
  return start < json.length ? [...pieces, json.subarray(start)] : pieces;
}

const NOTHING = { previous: undefined, references: new Map<number, Buffer>(), withoutReasoning: false };
const parsed = (pieces: readonly Buffer[]): unknown => JSON.parse(Buffer.concat(pieces).toString());

describe('the elements of an array', () => {
  it('are split correctly, whatever they contain', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (entries) => {
        const elements = await elementsOf(written(entries));
        expect(elements.map((element) => JSON.parse(element.toString()))).toEqual(
          entries.map(({ value }) => JSON.parse(JSON.stringify(value))),
        );
      }),
    );
  });
});

describe('a request that continues a stored response', () => {
  it('has the stored input, the stored output and its own input, in that order', async () => {
    await fc.assert(
      fc.asyncProperty(
        items,
        items,
        items,
        fc.array(fc.integer({ min: 1, max: 40 })),
        async (input, output, own, sizes) => {
          const before = { input: written(input), output: written(output) };
          const pieces = await expandedInput(inPieces(written(own), sizes), { ...NOTHING, previous: before });
          const all = [...input, ...output, ...own].map(({ value }) => value);
          expect(parsed(pieces)).toEqual(JSON.parse(JSON.stringify(all)));
        },
      ),
    );
  });

  it('may have no input of its own, or a string', async () => {
    const before = { input: Buffer.from('[1]'), output: Buffer.from('[2]') };
    expect(parsed(await expandedInput(undefined, { ...NOTHING, previous: before }))).toEqual([1, 2]);
    expect(parsed(await expandedInput([Buffer.from('"a\\"b"')], { ...NOTHING, previous: before }))).toEqual([
      1,
      2,
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a"b' }] },
    ]);
  });

  it('keeps every byte of its own items, numbers included', async () => {
    const own = Buffer.from('[ {"n":1.0,"big":12345678901234567890} ,{"é":"\\u00e9"}]');
    const before = {
      input: Buffer.from('[]'),
      output: Buffer.from('[{"a":1}]'),
      response: Buffer.from('{}'),
    };
    expect(Buffer.concat(await expandedInput([own], { ...NOTHING, previous: before })).toString()).toBe(
      '[{"a":1}, {"n":1.0,"big":12345678901234567890} ,{"é":"\\u00e9"}]',
    );
  });

  it('has the referenced items, and leaves unknown references unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(items, fc.infiniteStream(fc.option(item)), async (own, found) => {
        const meant = own.map(() => found.next().value ?? null);
        const references = new Map(
          meant.flatMap((value, index) =>
            value === null ? [] : ([[index, Buffer.from(JSON.stringify(value))]] as const),
          ),
        );
        const pieces = await expandedInput([written(own)], { ...NOTHING, references });
        const all = own.map(({ value }, index) => meant[index] ?? value);
        expect(parsed(pieces)).toEqual(JSON.parse(JSON.stringify(all)));
      }),
    );
  });

  it('drops stored reasoning that the provider could not read', async () => {
    await fc.assert(
      fc.asyncProperty(items, items, items, async (input, output, own) => {
        const before = { input: written(input), output: written(output) };
        const pieces = await expandedInput([written(own)], {
          ...NOTHING,
          previous: before,
          withoutReasoning: true,
        });
        const isTold = ({ value }: { value: object }) => !('type' in value && value.type === 'reasoning');
        const all = [...[...input, ...output].filter(isTold), ...own].map(({ value }) => value);
        expect(parsed(pieces)).toEqual(JSON.parse(JSON.stringify(all)));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenJson, JsonOutline } from './outline-json.ts';

const OPTIONS = { within: 'data', depth: 3 };

function outline(bytes: Buffer, pieceBytes: number, options = OPTIONS) {
  const scan = new JsonOutline(options);
  for (let at = 0; at < bytes.length; at += pieceBytes) scan.push(bytes.subarray(at, at + pieceBytes));
  return scan.end();
}

function accepts(bytes: Buffer, pieceBytes: number): boolean {
  try {
    outline(bytes, pieceBytes);
    return true;
  } catch (error) {
    if (error instanceof BrokenJson) return false;
    throw error;
  }
}

function parses(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    );
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const text = fc
  .dictionary(
    fc.oneof(fc.constantFrom('data', 'model', 'é"\\\n'), fc.string({ unit: 'grapheme' })),
    fc.jsonValue(),
    { maxKeys: 5 },
  )
  .chain((value) => fc.nat(2).map((spaces) => JSON.stringify(value, undefined, spaces)));

describe('JsonOutline', () => {
  it('accepts exactly what JSON.parse accepts, for any chunks', () => {
    const spoiled = fc
      .tuple(
        text,
        fc.nat(),
        fc.constantFrom(
          '',
          ',',
          '"',
          '}',
          ']',
          '0',
          '-',
          '.',
          'e',
          '\\',
          '\\u00e',
          'true',
          '\n',
          '\u0001',
          ':',
          '{',
          '[',
        ),
        fc.nat(2),
      )
      .map(([json, at, added, removed]) => {
        const cut = at % (json.length + 1);
        return json.slice(0, cut) + added + json.slice(cut + removed);
      });
    fc.assert(
      fc.property(fc.oneof(text, spoiled), fc.integer({ min: 1, max: 40 }), (json, pieceBytes) => {
        const bytes = Buffer.from(json);
        expect(accepts(bytes, pieceBytes)).toBe(parses(bytes));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":-}',
    '{"a":1e}',
    '{"a":1e+}',
    '{"a":+1}',
    '{"a":tru}',
    '{"a":trues}',
    '{"a":1}{',
    '[1]',
    '1',
    '',
    '{"a"}',
    '{"a":}',
    '{,}',
    '{"a":1,}',
    '{"data":[1,]}',
    '{"data":[,1]}',
    '{"a":"\t"}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":1',
    '{"a":"x',
    '{"data":[1}',
    '\ufeff{}',
  ])('rejects %j', (json) => {
    for (const pieceBytes of [1, 2, 1_000]) expect(accepts(Buffer.from(json), pieceBytes)).toBe(false);
  });

  it.each([
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    [Buffer.from('{"a":"\xc3"}', 'latin1')],
    [Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
  ])('rejects bytes that are not UTF-8', (bytes) => {
    for (const pieceBytes of [1, 2, 3, 1_000]) expect(accepts(bytes, pieceBytes)).toBe(false);
  });

  it('records the position of each member, and in one member also two deeper levels', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (json, pieceBytes) => {
        const bytes = Buffer.from(json);
        const value: Record<string, unknown> = JSON.parse(json);
        const members = outline(bytes, pieceBytes);
        const valueAt = ({ valueStart, end }: { valueStart: number; end: number }): unknown =>
          JSON.parse(bytes.subarray(valueStart, end).toString());
        expect(members.map((member) => [member.name, valueAt(member)])).toEqual([
          ...new Map(Object.keys(value).map((name) => [name, value[name]])),
        ]);
        for (const { name, kind, children } of members) {
          if (name !== 'data') expect(children).toEqual([]);
          else if (kind === 'array') expect(children.map(valueAt)).toEqual(value.data);
          else
            expect(Object.fromEntries(children.map((child) => [child.name, valueAt(child)]))).toEqual(
              kind === 'object' ? value.data : {},
            );
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('stops early at JSON that nests too deeply or has too many values', () => {
    expect(() => outline(Buffer.from(`{"a":${'['.repeat(600)}`), 64)).toThrow(BrokenJson);
    expect(() => outline(Buffer.from(`{"data":[${'0,'.repeat(200_000)}0]}`), 65_536)).toThrow(BrokenJson);
    expect(outline(Buffer.from(`{"other":[${'0,'.repeat(200_000)}0]}`), 65_536)).toHaveLength(1);
  });
});

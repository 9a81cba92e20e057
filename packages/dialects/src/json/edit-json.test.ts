import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editableMembers, editJson, type JsonEdits, membersInBytes } from './edit-json.ts';
import { scanJson } from './scan-json.ts';

const edit = (text: string, edits: JsonEdits) =>
  Buffer.concat(
    editJson(inPieces(text), membersInBytes(text, editableMembers(scanJson(text))), edits),
  ).toString();

/** Cuts a text into pieces anywhere, even within a character. */
function inPieces(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const cuts = [0, Math.floor(bytes.length / 3), Math.floor(bytes.length / 2), bytes.length];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}

describe('editJson', () => {
  it('changes the named members and leaves every other byte unchanged', () => {
    const text =
      '{ "model" : "ä/𝄞", "seed": 12345678901234567890,"nested":{"notre":1, "model":"x"} , "notre": [1,{"a":"}"}] } ';
    expect(edit(text, { model: '"up"', notre: undefined })).toBe(
      '{ "model" : "up", "seed": 12345678901234567890,"nested":{"notre":1, "model":"x"} } ',
    );
  });

  it('finds a member whose key has escapes', () => {
    expect(edit('{"\\u006eotre":true,"a":1}', { notre: undefined })).toBe('{"a":1}');
  });

  it('adds missing members, also to an empty object', () => {
    expect(edit('{}', { model: '1' })).toBe('{"model":1}');
    expect(edit('{"b":2}', { model: '{"x":[]}' })).toBe('{"b":2,"model":{"x":[]}}');
    expect(edit('{"notre":2}', { notre: undefined, model: '1', stream_options: '2' })).toBe(
      '{"model":1,"stream_options":2}',
    );
  });

  it('gives the same JSON as parsing, editing and serializing, for any content and white space', () => {
    const name = fc.oneof(
      fc.constantFrom('a', 'b', 'stream_options', 'model', 'notre', 'é"\\\n'),
      fc.string(),
    );
    const object = fc
      .dictionary(name, fc.jsonValue(), { maxKeys: 8 })
      .filter(
        (value) => !JSON.stringify(value).includes('"__proto__"') && !Object.hasOwn(value, 'constructor'),
      );
    const change = fc.oneof(fc.constant(undefined), fc.jsonValue());
    const edits = fc.record({ model: change, notre: change, stream_options: change }, { requiredKeys: [] });
    fc.assert(
      fc.property(object, edits, fc.nat(3), (value, changes, spaces) => {
        const text = JSON.stringify(value, undefined, spaces);
        const written = Object.entries(changes).map(
          ([key, given]) => [key, given === undefined ? undefined : JSON.stringify(given)] as const,
        );
        const expected = JSON.stringify({ ...value, ...changes });
        expect(JSON.parse(edit(text, Object.fromEntries(written)))).toEqual(JSON.parse(expected));
      }),
      { numRuns: 3_000 },
    );
  });
});

import { GatewayError } from '@model-gateway/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CustomToolInput } from './custom-tool-input.ts';

function read(pieces: readonly string[]): { deltas: string[]; text: string } {
  const input = new CustomToolInput();
  const deltas = pieces.map((piece) => input.push(piece));
  deltas.push(input.end());
  return { deltas, text: input.text };
}

/** A text in pieces that are cut anywhere, within escapes and characters, too. */
const cut = (text: string, places: readonly number[]) => {
  const at = [...places.map((place) => place % (text.length + 1)), 0, text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
};
const places = fc.array(fc.nat(10_000), { maxLength: 12 });
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom('"', '\\', '\n', '\u0000', 'é', '😀', '/', '{', '}', 'u', 'n', ' ')).map(join),
);
function join(parts: readonly string[]): string {
  return parts.join('');
}

/** JSON of a text with escapes that JSON.stringify does not use. */
function escaped(text: string): string {
  const units = text.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `{ "input" :\n"${units.join('')}" } `;
}

describe('the input of a custom tool', () => {
  it('the input of a custom tool is passed on as it is written, wherever its JSON is cut', () => {
    fc.assert(
      fc.property(anyText, places, fc.boolean(), (text, at, isEscaped) => {
        const json = isEscaped ? escaped(text) : JSON.stringify({ input: text });
        const { deltas, text: all } = read(cut(json, at));
        expect(all).toBe(text);
        expect(deltas.join('')).toBe(text);
        // Half a character is no text: some clients cannot put it together again.
        for (const delta of deltas) expect(delta.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the input of a custom tool is passed on at once, and not at the end', () => {
    expect(read(['{"input":"a', 'b\\', 'nc', '"}']).deltas).toEqual(['a', 'b', '\nc', '', '']);
  });

  it.each([
    ['a line end that is not escaped', '{"input":"a\nb"}', 'a\nb'],
    ['an escape that is none', '{"input":"\\d+"}', '\\d+'],
    ['four digits that are none', '{"input":"\\u12zz"}', '\\u12zz'],
    ['more members', '{"input":"a","more":{"b":["}"]}}', 'a'],
    ['white space', ' { "input" : "a" } ', 'a'],
    ['the member behind another one', '{"more":1,"input":"a"}', 'a'],
    ['text alone', '*** Begin Patch', '*** Begin Patch'],
    ['JSON of another tool', '{"patch":"a"}', '{"patch":"a"}'],
    ['a text in JSON', '"a\\nb"', 'a\nb'],
    ['JSON that only begins like it', '{"input":5}', '{"input":5}'],
    ['nothing', '', ''],
    ['an empty object', '{}', ''],
  ])('the input of a custom tool is read as it is meant: %s', (_what, args, text) => {
    for (const at of [[], [1], [3, 7, 11], [...args].map((_, index) => index)]) {
      const { deltas, text: all } = read(cut(args, at));
      expect(all).toBe(text);
      expect(deltas.join('')).toBe(text);
    }
  });

  it.each([
    '{',
    '{"inp',
    '{"input": ',
    '{"input":"',
    '{"input":"a',
    '{"input":"a"',
    '{"input":"say "hi""}',
    '{"input":"a"]',
    '{"input":"a\\',
  ])('an ambiguous input is an error: %s', (args) => expect(() => read([args])).toThrow(GatewayError));

  it('megabytes of escapes in one piece take no longer than any other input', () => {
    const text = '\n'.repeat(500_000);
    const before = process.cpuUsage();
    expect(read([JSON.stringify({ input: text })]).text).toBe(text);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withMembers, withMembersOf } from './with-members.ts';

const EDITS = new Map([
  ['id', '"own"'],
  ['model', '"acme/small"'],
]);

/** Objects in which the names that are edited stand everywhere, also inside of texts. */
const names = fc.constantFrom('id', 'model', 'response', 'x', '"id"', '\\"id\\":');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('theirs', '"id":"theirs"', '{"id":1}', null, true),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
    fc.array(tie('value')),
    fc.dictionary(names, tie('value'), { noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(names, value, { noNullPrototype: true });
const indent = fc.constantFrom(undefined, 2, '\t');

function parsed(text: string): Record<string, unknown> {
  return z.looseObject({}).parse(JSON.parse(text));
}

function withEdits(given: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(given).map(([name, inner]) => {
      const json = EDITS.get(name);
      return [name, json === undefined ? inner : JSON.parse(json)];
    }),
  );
}

describe('withMembers', () => {
  it('replaces members at the top level, and leaves every other byte unchanged', () => {
    fc.assert(
      fc.property(object, indent, (given, space) => {
        const text = JSON.stringify(given, undefined, space);
        const result = withMembers(text, parsed(text), EDITS);
        expect(result).toBe(JSON.stringify(withEdits(parsed(text)), undefined, space));
      }),
    );
  });

  it('replaces members of one inner object, and leaves every other byte unchanged', () => {
    fc.assert(
      fc.property(object, object, indent, (given, inner, space) => {
        const text = JSON.stringify({ ...given, response: inner }, undefined, space);
        const result = withMembersOf(
          text,
          parsed(text),
          { within: 'response', inner: parsed(JSON.stringify(inner)) },
          EDITS,
        );
        expect(JSON.parse(result)).toEqual({
          ...parsed(text),
          response: withEdits(parsed(JSON.stringify(inner))),
        });
        if (space === undefined)
          expect(result).toBe(
            JSON.stringify({ ...given, response: withEdits(parsed(JSON.stringify(inner))) }),
          );
      }),
    );
  });

  it.each([
    ['{"id" : "a" ,"x":1.0}', '{"id" : "own" ,"x":1.0}'],
    [String.raw`{"\u0069d":"a","x":"\u00e4"}`, String.raw`{"\u0069d":"own","x":"\u00e4"}`],
    ['{"x":{"id":"a"}}', '{"x":{"id":"a"}}'],
  ])('are found however they are written: %s', (text, expected) => {
    expect(withMembers(text, parsed(text), EDITS)).toBe(expected);
  });

  it('serializes JSON again that is not allowed in a request', () => {
    const text = '{"id":"a","id":"b","x":1.0}';
    expect(JSON.parse(withMembers(text, parsed(text), EDITS))).toEqual({ id: 'own', x: 1 });
    const event = '{"response":{"id":"a"},"__proto__":{}}';
    expect(
      JSON.parse(withMembersOf(event, parsed(event), { within: 'response', inner: { id: 'a' } }, EDITS))
        .response,
    ).toEqual({
      id: 'own',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { parseBoundedJson } from './parse-bounded-json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON inside a string of a request', () => {
  it.each<[string, unknown]>([
    ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
    [' "text" ', 'text'],
    [
      JSON.stringify({ a: nested(1_000), b: '\\"[{'.repeat(500) }),
      { a: nested(1_000), b: '\\"[{'.repeat(500) },
    ],
    [`[${Array.from({ length: 1_000 }, () => '[{}]').join()}]`, Array.from({ length: 1_000 }, () => [{}])],
  ])('JSON text in a request is read: %.40s', (text, value) => {
    expect(parseBoundedJson(text)).toEqual(value);
  });

  it('JSON text is read as deep as a request may nest, and no deeper', () => {
    expect(parseBoundedJson(nested(128))).toBeDefined();
    expect(parseBoundedJson(nested(129))).toBeUndefined();
    expect(parseBoundedJson(`${'{"a":'.repeat(129)}1${'}'.repeat(129)}`)).toBeUndefined();
  });

  it.each(['', '{', '{"a":', 'a', '"', '"\\', '[1,]', '{}}', 'undefined'])(
    'text that is no JSON gives nothing: %s',
    (text) => {
      expect(parseBoundedJson(text)).toBeUndefined();
    },
  );
});

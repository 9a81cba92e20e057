import { describe, expect, it } from 'vitest';
import { parsedJson } from './parsed-json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON that stands as text in a request', () => {
  it.each<[string, unknown]>([
    ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
    [' "text" ', 'text'],
    [
      JSON.stringify({ a: nested(1_000), b: '\\"[{'.repeat(500) }),
      { a: nested(1_000), b: '\\"[{'.repeat(500) },
    ],
    [`[${Array.from({ length: 1_000 }, () => '[{}]').join()}]`, Array.from({ length: 1_000 }, () => [{}])],
  ])('is read: %.40s', (text, value) => {
    expect(parsedJson(text)).toEqual(value);
  });

  it('is read as deep as a request may nest, and no deeper', () => {
    expect(parsedJson(nested(128))).toBeDefined();
    expect(parsedJson(nested(129))).toBeUndefined();
    expect(parsedJson(`${'{"a":'.repeat(129)}1${'}'.repeat(129)}`)).toBeUndefined();
  });

  it.each(['', '{', '{"a":', 'a', '"', '"\\', '[1,]', '{}}', 'undefined'])(
    'is nothing where it is none: %s',
    (text) => {
      expect(parsedJson(text)).toBeUndefined();
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

describe('canonical JSON', () => {
  it('sorts names at every depth and keeps the order of lists', () => {
    expect(canonicalJson({ b: [2, 1, { d: null, c: 'x' }], a: undefined, A: true })).toBe(
      '{"A":true,"b":[2,1,{"c":"x","d":null}]}',
    );
  });

  it('says the same value, and is the same whatever the order of names', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (members) => {
        const reversed = Object.fromEntries(Object.entries(members).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(members));
        expect(JSON.parse(canonicalJson(members))).toEqual(JSON.parse(JSON.stringify(members)));
      }),
    );
  });
});

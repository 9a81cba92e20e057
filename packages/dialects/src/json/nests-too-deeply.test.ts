import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nestsTooDeeply } from './nests-too-deeply.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('nestsTooDeeply', () => {
  it.each<[string, string, boolean]>([
    ['as deep as it may', nested(8), false],
    ['deeper', nested(9), true],
    ['deeper, in objects', `${'{"a":'.repeat(9)}1${'}'.repeat(9)}`, true],
    ['brackets within a string', JSON.stringify({ a: nested(100) }), false],
    ['behind an escaped quotation mark', String.raw`"\"[[[[[[[[[["`, false],
    ['behind an escaped backslash', String.raw`["\\",[[[[[[[[]]]]]]]]]`, true],
    ['a string without an end', `"${nested(100)}`, false],
    ['one after the other', `[${Array.from({ length: 100 }, () => '[{}]').join()}]`, false],
  ])('JSON nested too deeply is recognized: %s', (_name, json, isTooDeep) => {
    expect(nestsTooDeeply(json, 8)).toBe(isTooDeep);
  });

  it('the depth is the one that the parser finds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const depth = depthOf(value);
        expect(nestsTooDeeply(JSON.stringify(value), depth)).toBe(false);
        expect(nestsTooDeeply(JSON.stringify([value]), depth)).toBe(true);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLargeNumber, nearestNumber, parseExactJson, writeExactJson } from './exact-json.ts';

describe('exact JSON', () => {
  it.each([
    '{"id":12345678901234567890}',
    '[9007199254740993,-9007199254740993,9007199254740991,1e400,-1.5E+999]',
    '{"12345678901234567890":"12345678901234567890 \\" 12345678901234567890","a":[[18446744073709551615]]}',
    '9223372036854775807',
  ])('JSON that is parsed and written again has the same numbers: %s', (json) => {
    expect(writeExactJson(parseExactJson(json))).toBe(json);
  });

  it.each([
    '[012345678901234567890]',
    '[12345678901234567890',
    '[1234567890123456789-0]',
    '[--1e999]',
    '{12345678901234567890:1}',
    '{12345678901234567890 \n:1}',
  ])('invalid JSON stays invalid: %s', (json) => {
    expect(() => parseExactJson(json)).toThrow(SyntaxError);
  });

  it('fractions are rounded as JSON.parse rounds them', () => {
    expect(parseExactJson('[0.1234567890123456789,1234567890123456.75,1e300]')).toEqual([
      0.12345678901234568, 1234567890123456.8, 1e300,
    ]);
  });

  it('any JSON is the same after parsing and writing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify([value, 'id 1234567890123456789']);
        expect(writeExactJson(parseExactJson(json))).toBe(json);
        expect(writeExactJson(JSON.parse(json))).toBe(json);
      }),
    );
  });

  it('a large number is told apart from a text, and its nearest number is known', () => {
    const large = parseExactJson('12345678901234567890');
    expect(isLargeNumber(large)).toBe(true);
    expect(nearestNumber(large)).toBe(12345678901234567000);
    expect(nearestNumber('12345678901234567890')).toBe('12345678901234567890');
  });
});

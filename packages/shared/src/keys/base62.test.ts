import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base62, base62OfUint32, randomBase62 } from './base62.ts';

describe('base62', () => {
  it('counts 0-9A-Za-z and pads with zeros on the left', () => {
    expect([0n, 9n, 10n, 35n, 36n, 61n, 62n].map((value) => base62(value, 2))).toEqual([
      '00',
      '09',
      '0A',
      '0Z',
      '0a',
      '0z',
      '10',
    ]);
  });

  it('is the same for a number as for the BigInt of it', () => {
    const uint32 = fc.oneof(
      fc.integer({ min: 0, max: 0xffff_ffff }),
      fc.constantFrom(0, 61, 62, 0xffff_ffff),
    );
    fc.assert(fc.property(uint32, (value) => base62OfUint32(value, 6) === base62(BigInt(value), 6)));
  });
});

describe('random base62', () => {
  it('has the length that is asked for, also beyond what is in stock', () => {
    for (const length of [0, 1, 24, 10_000]) expect(randomBase62(length)).toMatch(/^[0-9A-Za-z]*$/);
    expect([0, 1, 24, 10_000].map((length) => randomBase62(length).length)).toEqual([0, 1, 24, 10_000]);
  });

  it('never comes again, and has every character equally often', () => {
    const texts = Array.from({ length: 20_000 }, () => randomBase62(31));
    expect(new Set(texts).size).toBe(texts.length);
    const counts = new Map<string, number>();
    for (const character of texts.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 10,000 expected each, with a standard deviation of 100.
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(700);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatcher } from './glob-matcher.ts';

describe('a list of ids and globs', () => {
  it.each<[string[], string, boolean]>([
    [['acme/large'], 'acme/large', true],
    [['acme/large'], 'acme/larger', false],
    [['acme/*'], 'acme/large', true],
    [['acme/*'], 'acme2/large', false],
    [['*/gpt-*-mini'], 'openai/gpt-5-mini', true],
    [['*/gpt-*-mini'], 'openai/gpt-5', false],
    [['*'], 'anything/at/all', true],
    [['openrouter/*'], 'openrouter/meta/llama', true],
    [['a.c/x'], 'abc/x', false],
    [['acme/(large)*'], 'acme/(large)', true],
    [['a*a'], 'a', false],
    [['a*b*c'], 'abc', true],
    [['a*b*c'], 'acb', false],
    [['*large'], 'acme/large-large', true],
    [['**/**'], 'acme/large', true],
    [['acme/x', 'acme/*-mini'], 'acme/5-mini', true],
    [[], 'acme/large', false],
  ])('%j and %s: %s', (globs, id, expected) => expect(globMatcher(globs)(id)).toBe(expected));

  it('matches as a regular expression would', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (glob, id) => {
        const pattern = new RegExp(`^${glob.split('*').join('.*')}$`);
        expect(globMatcher([glob])(id)).toBe(pattern.test(id));
      }),
    );
  });

  it('takes no time for a glob with many stars', () => {
    const before = process.cpuUsage();
    expect(globMatcher([`${'*a'.repeat(120)}b`])('a'.repeat(250))).toBe(false);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});

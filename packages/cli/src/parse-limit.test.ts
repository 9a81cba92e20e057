import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseLimit, parseLimitOrDefault } from './parse-limit.ts';

describe('a limit on the command line', () => {
  it('is a whole number', () => {
    expect(parseLimit('1')).toBe(1);
    expect(parseLimit('4294967295')).toBe(4_294_967_295);
    expect(parseLimitOrDefault('30')).toBe(30);
  });

  it('the word "default" is accepted where a default exists', () => {
    expect(parseLimitOrDefault('default')).toBe('default');
    expect(() => parseLimit('default')).toThrow(InvalidArgumentError);
  });

  it.each(['', '-1', '1.5', '1e3', ' 1', '0x10', 'none', '4294967296'])('is not %j', (text) => {
    expect(() => parseLimit(text)).toThrow(InvalidArgumentError);
    expect(() => parseLimitOrDefault(text)).toThrow(InvalidArgumentError);
  });
});

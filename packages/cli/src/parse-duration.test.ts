import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseDuration } from './parse-duration.ts';

describe('a length of time on the command line', () => {
  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['0s', 0],
  ])('%s is understood', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '24', 'h', '-1h', '1.5h', '1w', '1 h', '1h30m', '10000000000s'])(
    '%j is refused, since nobody knows what is meant',
    (text) => {
      expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
    },
  );
});

import { expect, it } from 'vitest';
import { PARTS, parseOptions } from './options.ts';

it('without options everything is measured, with the peer from npm', () => {
  expect(parseOptions([])).toEqual({
    extent: 'full',
    parts: PARTS,
    peers: 'npm',
    growth: false,
    profile: false,
    nodeArgs: [],
    out: 'bench-results',
  });
});

it('a part that there is not is refused', () => {
  expect(() => parseOptions(['--only', 'nonsense'])).toThrow();
});

import { expect, it } from 'vitest';
import { PARTS, parseOptions } from './options.ts';

it('without options everything is measured, with the peer from npm', () => {
  expect(parseOptions([])).toEqual({
    extent: 'full',
    parts: PARTS,
    peers: 'npm',
    growth: [],
    profile: false,
    nodeArgs: [],
    out: 'bench-results',
  });
});

it('all that may grow does, or what is named', () => {
  expect(parseOptions(['--growth']).growth).toEqual(['keys', 'models', 'teams']);
  expect(parseOptions(['--growth', 'teams', '--quick'])).toMatchObject({
    growth: ['teams'],
    extent: 'quick',
  });
  expect(() => parseOptions(['--growth', 'nonsense'])).toThrow();
});

it('a part that there is not is refused', () => {
  expect(() => parseOptions(['--only', 'nonsense'])).toThrow();
});

import { expect, it } from 'vitest';
import { PARTS, parseOptions } from './options.ts';

it('without options all that needs no filled database is measured, with the peer from npm', () => {
  expect(parseOptions([])).toEqual({
    extent: 'full',
    parts: PARTS.filter((name) => name !== 'usage-reads'),
    peers: 'npm',
    growth: false,
    profile: false,
    nodeArgs: [],
    out: 'bench-results',
    against: undefined,
    fill: undefined,
    store: '.bench/filled',
  });
});

it('a part that there is not is refused', () => {
  expect(() => parseOptions(['--only', 'nonsense'])).toThrow();
});

it('a database is filled with so many million records', () => {
  expect(parseOptions(['--fill', '0.5']).fill).toBe(500_000);
  for (const wrong of ['0', '-1', 'many']) expect(() => parseOptions(['--fill', wrong])).toThrow();
});

import { expect, it } from 'vitest';
import { PARTS, parseOptions } from './options.ts';

it('a run without options measures every part that needs no filled database, beside the peers from npm', () => {
  expect(parseOptions([])).toEqual({
    extent: 'full',
    parts: PARTS.filter((name) => name !== 'usage-reads'),
    peers: 'npm',
    nodeArgs: [],
    out: 'bench-results',
    against: undefined,
    fill: undefined,
    store: '.bench/filled',
  });
});

it('an unknown part is refused', () => {
  expect(() => parseOptions(['--only', 'nonsense'])).toThrow();
});

it('--fill takes a number of millions of records', () => {
  expect(parseOptions(['--fill', '0.5']).fill).toBe(500_000);
  for (const wrong of ['0', '-1', 'many']) expect(() => parseOptions(['--fill', wrong])).toThrow();
});

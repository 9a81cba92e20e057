import { expect, it } from 'vitest';
import { PARTS, parseOptions } from './options.ts';

it('a run without options measures all parts but two, beside the peers from npm', () => {
  expect(parseOptions([])).toEqual({
    extent: 'full',
    parts: PARTS.filter((name) => name !== 'usage-reads' && name !== 'scale'),
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

it('--against names another copy, for any part', () => {
  const { against, parts } = parseOptions(['--only', 'closed-loop', '--against', '../before']);
  expect({ against, parts }).toEqual({ against: '../before', parts: ['closed-loop'] });
});

it('--fill takes a number of millions of records', () => {
  expect(parseOptions(['--fill', '0.5']).fill).toBe(500_000);
  for (const wrong of ['0', '-1', 'many']) expect(() => parseOptions(['--fill', wrong])).toThrow();
});

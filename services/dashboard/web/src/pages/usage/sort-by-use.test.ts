import { expect, test } from 'vitest';
import type { LimitsResponse } from '../../../../wire/limits.ts';
import { sortByUse } from './sort-by-use.ts';

type Key = LimitsResponse['keys'][number];

const key = (name: string, limits: [Key['limits'][number]['name'], number | null, number][]): Key => ({
  keyId: name,
  name,
  limits: limits.map(([limitName, used, limit]) => ({ name: limitName, used, limit, windowSeconds: 60 })),
});
const names = (keys: readonly Key[]) => keys.map(({ name }) => name);

test('the key that is closest to one of its limits comes first, and idle keys stay in their order', () => {
  const keys = [
    key('idle', [['key.free', 0, 60]]),
    key('many of a large limit', [['key.paid', 50, 1_000]]),
    key('unknown', [['key.free', null, 60]]),
    key('nearly full', [
      ['key.free', 0, 60],
      ['key.streams', 9, 10],
    ]),
  ];
  expect(names(sortByUse(keys))).toEqual(['nearly full', 'many of a large limit', 'idle', 'unknown']);
});

test('keys that share a team limit are sorted by their own limits', () => {
  const team: ['team', number, number] = ['team', 300, 600];
  const keys = [
    key('bystander', [['key.free', 1, 60], team]),
    key('batch job', [['key.paid', 40, 100], team]),
  ];
  expect(names(sortByUse(keys))).toEqual(['batch job', 'bystander']);
});

import { expect, it } from 'vitest';
import { catalogMessage } from './catalog-message.ts';

const DAY_MS = 86_400_000;

it.each([
  ['those from a day ago on, and the last one before', [-30, -20, -2, -0.5, -0.1, 7], [3, 4, 5, 6]],
  ['of two at the same time the later one, as it is the one in force', [-3, -3, 1], [2, 3]],
  ['the last one, however old it is', [-900, -800], [2]],
  ['all, if they are new', [-0.2, 3], [1, 2]],
  ['those that come, whatever the order of the versions', [5, -9, -10], [2, 1]],
  ['none, if there is none', [], []],
])('of the versions of a price list, the catalog carries %s', (_which, days, expected) => {
  const now = Date.UTC(2026, 10, 27);
  const versions = days.map((day, index) => ({
    ...{ number: index + 1, terms: { factor: '1.2' } },
    validFrom: new Date(now + day * DAY_MS),
  }));
  const stored = { revision: 1n, providers: [], models: [], virtualModels: [], credentials: [] };
  const { priceLists } = catalogMessage(
    { ...stored, priceLists: [{ id: 'pl_1', isDefault: true, versions }] },
    now,
  );
  expect(priceLists.map((list) => list.versions.map(({ number }) => number))).toEqual([expected]);
});

import { expect, test } from 'vitest';
import { buildModel } from '../../wire-fixture.ts';
import { groupModels } from './group-models.ts';

const models = [
  buildModel('zeta/large', { owned_by: 'zeta' }),
  buildModel('acme/embed', { owned_by: 'acme', capability: 'embeddings' }),
  buildModel('acme/small', { owned_by: 'acme' }),
];

const titlesOf = (by: 'provider' | 'capability') =>
  groupModels(models, by).map(({ title, models: inGroup }) => [title, ...inGroup.map(({ id }) => id)]);

test('providers are in alphabetical order, their models in the order of the catalog', () => {
  expect(titlesOf('provider')).toEqual([
    ['acme', 'acme/embed', 'acme/small'],
    ['zeta', 'zeta/large'],
  ]);
});

test('capabilities have their names and are in the order of the catalog', () => {
  expect(titlesOf('capability')).toEqual([
    ['Chat', 'zeta/large', 'acme/small'],
    ['Embeddings', 'acme/embed'],
  ]);
});

test('only the first groups, with at most 40 models together, are open at first', () => {
  const many = ['a', 'b', 'c'].flatMap((provider) =>
    Array.from({ length: 20 }, (_, index) => buildModel(`${provider}/${index}`, { owned_by: provider })),
  );
  expect(groupModels(many, 'provider').map(({ isOpenAtFirst }) => isOpenAtFirst)).toEqual([
    true,
    true,
    false,
  ]);
});

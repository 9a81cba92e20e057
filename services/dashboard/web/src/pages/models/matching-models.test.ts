import { expect, test } from 'vitest';
import { buildModel } from '../../wire-fixture.ts';
import { matchingModels } from './matching-models.ts';

const models = [
  buildModel('acme/small', { description: 'Fast and cheap', tier: 'free' }),
  buildModel('acme/large', { name: 'Acme Large', aliases: ['gpt-4o'] }),
  buildModel('other/embed', { capability: 'embeddings', owned_by: 'Other' }),
];
const ids = (text: string, { capability = '', provider = '', tier = '' } = {}) =>
  matchingModels(models, { text, capability, provider, tier }).map(({ id }) => id);

test('an empty filter matches every model, in the order of the catalog', () => {
  expect(ids('  ')).toEqual(['acme/small', 'acme/large', 'other/embed']);
});

test('a model matches if every word of the text occurs in it, ignoring case', () => {
  expect(ids('ACME fast')).toEqual(['acme/small']);
  expect(ids('acme nothing')).toEqual([]);
  expect(ids('gpt-4o')).toEqual(['acme/large']);
});

test('a model matches only with the chosen capability, provider and tier', () => {
  expect(ids('', { capability: 'embeddings' })).toEqual(['other/embed']);
  expect(ids('', { provider: 'Other' })).toEqual(['other/embed']);
  expect(ids('acme', { capability: 'chat', tier: 'free' })).toEqual(['acme/small']);
});

import { expect, test } from 'vitest';
import { type Model, matchingModels } from './matching-models.ts';

function model(id: string, about: Partial<Model> = {}): Model {
  return {
    id,
    object: 'model',
    created: 0,
    owned_by: 'acme',
    name: id,
    description: '',
    capability: 'chat',
    tier: 'paid',
    context_length: null,
    max_output_tokens: null,
    input_modalities: ['text'],
    output_modalities: ['text'],
    pricing: {},
    endpoints: [],
    status: 'operational',
    ...about,
  };
}

const models = [
  model('acme/small', { description: 'Fast and cheap', tier: 'free' }),
  model('acme/large', { name: 'Acme Large', aliases: ['gpt-4o'] }),
  model('other/embed', { capability: 'embeddings', owned_by: 'Other' }),
];
const ids = (text: string, capability = '', tier = '') =>
  matchingModels(models, { text, capability, tier }).map(({ id }) => id);

test('an empty filter matches every model, in the order of the catalog', () => {
  expect(ids('  ')).toEqual(['acme/small', 'acme/large', 'other/embed']);
});

test('a model matches if every word of the text occurs in it, ignoring case', () => {
  expect(ids('ACME fast')).toEqual(['acme/small']);
  expect(ids('acme nothing')).toEqual([]);
  expect(ids('gpt-4o')).toEqual(['acme/large']);
});

test('a model matches only with the chosen capability and tier', () => {
  expect(ids('', 'embeddings')).toEqual(['other/embed']);
  expect(ids('acme', 'chat', 'free')).toEqual(['acme/small']);
});

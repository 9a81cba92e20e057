import type { VirtualModelMessage } from '@model-gateway/contracts';
import type { ListingRules } from '@model-gateway/shared/rules';
import { expect, it } from 'vitest';
import { allowedModels, type CatalogModels } from './allowed-models.ts';
import { modelObjectFixture } from './model-object-fixture.ts';

const virtual: VirtualModelMessage = {
  id: 'acme/auto',
  name: 'Auto',
  description: '',
  aliases: [],
  fallbacks: ['other/large', 'acme/embed'],
  createdAt: '0',
  models: [
    { model: 'acme/large', weight: 3 },
    { model: 'other/large', weight: 1 },
  ],
};
const CATALOG: CatalogModels = {
  models: [
    modelObjectFixture('acme/embed', { capability: 'embeddings' }),
    modelObjectFixture('acme/large', { fallbacks: ['other/large', 'acme/embed'], context_length: 100 }),
    modelObjectFixture('other/large', { fallbacks: ['acme/large'], context_length: 50 }),
  ],
  virtualModels: [virtual],
  upstreams: [
    { id: 'acme/embed', providerIds: ['acme'] },
    { id: 'acme/large', providerIds: ['acme', 'reseller'] },
    { id: 'other/large', providerIds: ['other'] },
  ],
};
const ALL: ListingRules = { models: [], providers: [], endpoints: [] };
const idsFor = (rules: Partial<ListingRules>) =>
  allowedModels(CATALOG, { ...ALL, ...rules }).map(({ id }) => id);

it.each<[Partial<ListingRules>, string[]]>([
  [{}, ['acme/auto', 'acme/embed', 'acme/large', 'other/large']],
  [{ models: [['acme/*']] }, ['acme/auto', 'acme/embed', 'acme/large']],
  [{ models: [['*/large'], ['acme/*']] }, ['acme/auto', 'acme/large']],
  [{ models: [['acme/auto']] }, []],
  [{ models: [[]] }, []],
  [{ providers: [['reseller']] }, ['acme/auto', 'acme/large']],
  [{ providers: [['other', 'acme']], endpoints: [['embeddings']] }, ['acme/embed']],
  [{ models: [['acme/*']], providers: [['other']] }, []],
])('rules %j leave %j', (rules, ids) => expect(idsFor(rules)).toEqual(ids));

it('a listed model names no member and no fallback that rules do not allow', () => {
  const [auto, embed, large] = allowedModels(CATALOG, { ...ALL, models: [['acme/*']] });
  expect(auto).toMatchObject({
    models: [{ model: 'acme/large', weight: 3 }],
    fallbacks: ['acme/embed'],
    context_length: 100,
  });
  expect(embed?.id).toBe('acme/embed');
  expect(large?.fallbacks).toEqual(['acme/embed']);
  const [alone] = allowedModels(CATALOG, { ...ALL, models: [['other/large']] }).slice(-1);
  expect(alone).not.toHaveProperty('fallbacks');
});

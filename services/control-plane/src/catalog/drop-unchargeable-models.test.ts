import { KNOWN_PRICES } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { CatalogToSend } from './catalog-message.ts';
import { dropUnchargeableModels } from './drop-unchargeable-models.ts';

function model(id: string, pricing: Record<string, string>, priceVersion?: number) {
  return {
    id,
    name: id,
    description: '',
    capability: 'chat' as const,
    tier: priceVersion === undefined ? ('free' as const) : ('paid' as const),
    guardrails: [],
    inputModalities: [],
    outputModalities: [],
    aliases: [],
    fallbacks: [],
    upstreams: [],
    pricing,
    ...(priceVersion === undefined ? {} : { priceVersion }),
    createdAt: 0,
  };
}

const CATALOG: CatalogToSend = {
  revision: '1',
  providers: [],
  virtualModels: [],
  priceLists: [],
  guardrails: [],
  models: [
    model('acme/plain', { input_per_million_usd: '1', output_per_million_usd: '2' }, 1),
    model('acme/writes', { input_per_million_usd: '1', cache_write_per_million_usd: '2' }, 1),
    model('acme/long', { input_per_million_usd: '1', 'tiers.200000.input_per_million_usd': '2' }, 1),
    model('acme/tiers', { input_per_million_usd: '1', 'service_tiers.flex.input_per_million_usd': '2' }, 1),
    model('acme/free', { cache_write_per_million_usd: '2' }),
  ],
};

it('a data plane that charges at cost gets no paid model while there are price lists', () => {
  const catalog = { ...CATALOG, priceLists: [{ id: 'pl_1', isDefault: false, versions: [] }] };
  const known = KNOWN_PRICES.filter((name) => name !== 'price_lists');
  const free = CATALOG.models.filter(({ tier }) => tier === 'free');
  expect(dropUnchargeableModels(catalog, known).models).toEqual(free);
  expect(dropUnchargeableModels(catalog, []).models).toEqual(free);
  expect(dropUnchargeableModels(CATALOG, known).models).toEqual(CATALOG.models);
  expect(dropUnchargeableModels(catalog, KNOWN_PRICES).models).toEqual(CATALOG.models);
});

const idsFor = (known: readonly string[]) =>
  dropUnchargeableModels(CATALOG, known).models.map(({ id }) => id);

it('a data plane of an earlier release gets no paid model that it would charge too little for', () => {
  expect(idsFor([])).toEqual(['acme/plain', 'acme/free']);
});

it('a data plane gets the models whose prices and tiers it reports to know', () => {
  expect(idsFor(KNOWN_PRICES)).toEqual(['acme/plain', 'acme/writes', 'acme/long', 'acme/tiers', 'acme/free']);
  expect(idsFor(KNOWN_PRICES.filter((name) => name !== 'tiers'))).not.toContain('acme/long');
  expect(idsFor(KNOWN_PRICES.filter((name) => name !== 'service_tiers'))).not.toContain('acme/tiers');
});

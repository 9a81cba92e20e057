import type { CatalogMessage } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { comparePrices, isAbove, isApplicable } from './compare-prices.ts';
import { parseExactJson } from './exact-json.ts';
import { priceSourceOf } from './read-source.ts';
import { syncedModels } from './sync-prices.ts';

type Model = CatalogMessage['models'][number];

function modelOf(name: string, pricing: Record<string, string>, more: Partial<Model> = {}): Model {
  return {
    ...{ id: `acme/${name}`, name, description: '', capability: 'chat', tier: 'paid', timeouts: null },
    ...{ contextLength: 128_000, priceVersion: 1 },
    guardrails: [],
    inputModalities: ['text'],
    outputModalities: ['text'],
    upstreams: [{ provider: 'acme', model: name, priority: 1, weight: 1, apis: [] }],
    ...{ pricing, createdAt: '0', aliases: [], fallbacks: [] },
    ...more,
  };
}

function catalogOf(...models: Model[]): CatalogMessage {
  const provider = (id: string, baseUrl: string) => ({
    ...{ id, name: id, kind: 'openai-compatible', baseUrl, headers: {}, timeouts: null, apis: [] },
    ...{ credentialEnvs: [], credentialWeights: [] },
  });
  return {
    revision: '1',
    providers: [
      provider('acme', 'https://api.openai.com/v1'),
      provider('groq', 'https://api.groq.com/openai/v1'),
    ],
    models,
    virtualModels: [],
    priceLists: [],
    guardrails: [],
  };
}

/** Compares a model with an entry of litellm's file. */
function compare(model: Model, members: string, others = '', addsServiceTiers = false) {
  const entry = `"${model.name}": {"litellm_provider": "openai", ${members}}`;
  const source = priceSourceOf(parseExactJson(`{${entry}${others}}`));
  if (source === undefined) throw new Error('not a price file');
  const catalog = catalogOf(model);
  const [comparison] = comparePrices(catalog, source, { matches: new Map(), addsServiceTiers });
  if (comparison === undefined) throw new Error('no comparison');
  const [synced] = syncedModels(catalog, [comparison], {
    source: 'file',
    date: '2026-11-27',
    withLimits: false,
  });
  return { comparison, synced };
}

const CHAT = { input_per_million_usd: '2.00', output_per_million_usd: '8' };
const TOKENS = '"input_cost_per_token": 2e-06, "output_cost_per_token": 8e-06';

describe('a price', () => {
  it('is changed with its relative change; others stay, and what the source has found is noted', () => {
    const before = JSON.stringify([{ source: 'a contract', date: '2026-01-01' }]);
    const pricing = { ...CHAT, web_search_request_usd: '0.01', cache_write_per_million_usd: '2.50' };
    const { comparison, synced } = compare(
      modelOf('m', pricing, { pricesFrom: before }),
      '"input_cost_per_token": 2.5e-06, "output_cost_per_token": 8e-06, "cache_read_input_token_cost": 2e-07',
    );
    expect(comparison.changes).toEqual([
      { price: 'input_per_million_usd', current: '2.00', source: '2.50', change_percent: 25 },
      { price: 'cached_input_per_million_usd', current: '2.00', source: '0.20', change_percent: -90 },
    ]);
    expect(comparison.kept).toEqual(['web_search_request_usd', 'cache_write_per_million_usd']);
    expect(synced).toMatchObject({
      pricing: { ...pricing, input_per_million_usd: '2.50', cached_input_per_million_usd: '0.20' },
      prices_from: [
        {
          ...{ source: 'file', date: '2026-11-27' },
          prices: ['input_per_million_usd', 'output_per_million_usd', 'cached_input_per_million_usd'],
        },
        { source: 'a contract', date: '2026-01-01' },
      ],
    });
    expect(isAbove({ price: 'p', current: '1', source: '2', change_percent: -20 }, 20)).toBe(false);
    expect(isAbove({ price: 'p', current: '1', source: '2', change_percent: -20.1 }, 20)).toBe(true);
    expect(isAbove({ price: 'p', current: null, source: '2', change_percent: null }, 1_000)).toBe(true);
  });

  it('that costs the same without a price of its own is no difference', () => {
    const { comparison } = compare(
      modelOf('m', CHAT),
      `${TOKENS}, "output_cost_per_reasoning_token": 8e-06, "cache_creation_input_token_cost": 2e-06`,
    );
    expect(comparison).toMatchObject({ state: 'compared', changes: [], kept: [] });
  });

  it('that is confirmed gets a new date, and no other change', () => {
    const model = modelOf('m', CHAT);
    const { synced } = compare(model, TOKENS);
    expect(synced).toMatchObject({ pricing: CHAT, prices_from: [{ source: 'file', date: '2026-11-27' }] });
  });

  it.each([
    ['is 0', '"input_cost_per_token": 0.0, "output_cost_per_token": 8e-06'],
    ['is missing', '"output_cost_per_token": 8e-06'],
    ['is null', '"input_cost_per_token": null, "output_cost_per_token": 8e-06'],
    [
      'cannot be charged exactly',
      '"input_cost_per_token": 1.00000000000000001e-06, "output_cost_per_token": 9e-06',
    ],
  ])('that a model needs and that %s leaves all its prices as they are', (_, members) => {
    const { comparison, synced } = compare(modelOf('m', CHAT), members);
    expect(comparison).toMatchObject({ state: 'no_price', changes: [] });
    expect(synced).toBeUndefined();
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty_flex'])(
    'is compared beside a field with the name of a member of every object: %s',
    (field) => {
      const { comparison } = compare(modelOf('m', CHAT), `${TOKENS}, "${field}": 1e-06`);
      expect(comparison).toMatchObject({
        state: 'compared',
        changes: [],
        notes: [{ kind: 'unknown', field }],
      });
    },
  );

  it('of a promotion is shown with its end, and not applied', () => {
    const { comparison, synced } = compare(
      modelOf('m', CHAT),
      '"input_cost_per_token": 1e-06, "output_cost_per_token": 4e-06, "comment": "50% off until 2026-12-31"',
    );
    expect(comparison).toMatchObject({
      state: 'promotion',
      changes: [{ source: '1.00' }, { source: '4.00' }],
      notes: [{ kind: 'promotion', until: '2026-12-31' }],
    });
    expect(isApplicable(comparison)).toBe(false);
    expect(synced).toBeUndefined();
  });

  it('of a tool, which would allow its calls, is never added', () => {
    const searches = `${TOKENS}, "search_context_cost_per_query": {"search_context_size_low": 0.01}`;
    const { comparison } = compare(modelOf('m', CHAT), searches);
    expect(comparison).toMatchObject({ changes: [], notes: [{ kind: 'refused_so_far', value: '0.01' }] });
    const { comparison: priced } = compare(
      modelOf('m', { ...CHAT, web_search_request_usd: '0.025' }),
      searches,
    );
    expect(priced.changes).toMatchObject([{ current: '0.025', source: '0.01', change_percent: -60 }]);
  });

  it('of long contexts with another bound than in the catalog is only listed', () => {
    const { comparison } = compare(
      modelOf('m', { ...CHAT, 'tiers.272000.input_per_million_usd': '4' }),
      `${TOKENS}, "input_cost_per_token_above_200k_tokens": 4e-06`,
    );
    expect(comparison).toMatchObject({ changes: [], kept: ['tiers.272000.input_per_million_usd'] });
    expect(comparison.notes).toEqual([{ kind: 'other_tiers', field: 'above_input_tokens', value: '200000' }]);
    const { comparison: added } = compare(
      modelOf('m', CHAT),
      `${TOKENS}, "input_cost_per_token_above_200k_tokens": 4e-06`,
    );
    expect(added.changes).toEqual([
      { price: 'tiers.200000.input_per_million_usd', current: '2.00', source: '4.00', change_percent: 100 },
    ]);
  });

  it('of a service tier is changed, and added only if asked for', () => {
    const flex = `${TOKENS}, "input_cost_per_token_flex": 1e-06, "output_cost_per_token_flex": 4e-06`;
    const { comparison } = compare(modelOf('m', CHAT), flex);
    expect(comparison.changes).toEqual([]);
    expect(comparison.notes.map(({ field, kind }) => `${kind} ${field}`)).toEqual([
      'refused_so_far service_tiers.flex.input_per_million_usd',
      'refused_so_far service_tiers.flex.output_per_million_usd',
    ]);
    const { synced } = compare(modelOf('m', CHAT), flex, '', true);
    expect(synced).toMatchObject({
      pricing: { service_tiers: { flex: { input_per_million_usd: '1.00', output_per_million_usd: '4.00' } } },
    });
    const own = {
      ...{
        ...CHAT,
        cached_input_per_million_usd: '0.50',
        'service_tiers.flex.input_per_million_usd': '1.25',
      },
      'service_tiers.flex.output_per_million_usd': '4',
    };
    const { comparison: changed } = compare(
      modelOf('m', own),
      `${flex}, "cache_read_input_token_cost": 5e-07, "cache_read_input_token_cost_flex": 5e-07`,
    );
    expect(changed.changes).toEqual([
      {
        price: 'service_tiers.flex.input_per_million_usd',
        current: '1.25',
        source: '1.00',
        change_percent: -20,
      },
    ]);
  });

  it('of a service tier that would lack a price is left out, and the others are applied', () => {
    const half =
      '"input_cost_per_token": 3e-06, "output_cost_per_token": 8e-06, "input_cost_per_token_flex": 1e-06';
    const { comparison, synced } = compare(modelOf('m', CHAT), half, '', true);
    expect(comparison.notes).toEqual([
      {
        kind: 'invalid_tier',
        field: 'service_tiers.flex.output_per_million_usd',
        value: expect.stringContaining('needs'),
      },
    ]);
    expect(synced?.pricing).toEqual({ ...CHAT, input_per_million_usd: '3.00' });
    const tiers = `${TOKENS}, "input_cost_per_token_above_200k_tokens": 4e-06, "input_cost_per_token_priority": 4e-06,
      "output_cost_per_token_priority": 16e-06`;
    // Long contexts would have the price of short ones.
    expect(compare(modelOf('m', CHAT), tiers, '', true).comparison).toMatchObject({
      changes: [{ price: 'tiers.200000.input_per_million_usd' }],
      notes: [{ kind: 'invalid_tier', value: expect.stringContaining('same bounds') }],
    });
  });

  it('that the control plane would refuse holds up no other model', () => {
    const { comparison, synced } = compare(
      modelOf('m', CHAT),
      `${TOKENS}, "cache_read_input_token_cost": 3e-06`,
    );
    expect(comparison.notes).toEqual([
      {
        kind: 'invalid',
        field: 'cached_input_per_million_usd',
        value: expect.stringContaining('must not cost more'),
      },
    ]);
    expect(synced).toBeUndefined();
  });
});

describe('a model', () => {
  it('without an entry, or free, stays as it is', () => {
    expect(compare(modelOf('m', CHAT), '"mode": "chat"').comparison).toMatchObject({ state: 'no_price' });
    const unknown = modelOf('m', CHAT, {
      upstreams: [{ provider: 'acme', model: 'other', priority: 1, weight: 1, apis: [] }],
    });
    expect(compare(unknown, TOKENS).comparison).toMatchObject({ state: 'not_in_source', entries: [] });
    const free = compare(modelOf('m', {}, { tier: 'free' }), TOKENS);
    expect(free).toMatchObject({
      comparison: { state: 'free', entries: [], changes: [] },
      synced: undefined,
    });
  });

  it('with several entries of different prices is ambiguous', () => {
    const dated = (price: string) =>
      `, "m-2026-01-01": {"litellm_provider": "openai", ${TOKENS}}, "m-2026-02-02": {"litellm_provider": "openai", ${price}}`;
    const upstreams = [{ provider: 'acme', model: 'm', priority: 1, weight: 1, apis: [] }];
    const model = modelOf('unmatched', CHAT, { upstreams });
    expect(compare(model, TOKENS, dated('"input_cost_per_token": 1e-06')).comparison).toMatchObject({
      ...{ state: 'ambiguous', entries: ['m-2026-01-01', 'm-2026-02-02'], changes: [] },
    });
    expect(compare(model, TOKENS, dated(TOKENS)).comparison).toMatchObject({ state: 'compared' });
  });

  it('at two providers with different prices is ambiguous', () => {
    const at = (provider: string) => ({ provider, model: 'm', priority: 1, weight: 1, apis: [] });
    const model = modelOf('m', CHAT, { upstreams: [at('acme'), at('groq')] });
    const atGroq = (price: string) => `, "groq/m": {"litellm_provider": "groq", ${price}}`;
    expect(compare(model, TOKENS, atGroq('"input_cost_per_token": 1e-06')).comparison.state).toBe(
      'ambiguous',
    );
    expect(compare(model, TOKENS, atGroq(TOKENS)).comparison.state).toBe('compared');
  });

  it('has contexts, outputs and modalities compared; a context may count the input alone', () => {
    const limits = `${TOKENS}, "max_input_tokens": 100000, "max_output_tokens": 28000, "supported_modalities": ["text", "image"]`;
    expect(compare(modelOf('m', CHAT), limits).comparison.limits).toEqual([
      { member: 'max_output_tokens', current: null, source: 28_000 },
      { member: 'input_modalities', current: ['text'], source: ['text', 'image'] },
    ]);
    expect(compare(modelOf('m', CHAT, { contextLength: 64_000 }), limits).comparison.limits[0]).toEqual({
      ...{ member: 'context_length', current: 64_000, source: 100_000 },
    });
  });
});

import {
  type CatalogDocument,
  capability,
  catalogDocument,
  checkCatalog,
  fileOfDocument,
} from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { bundledCatalogs, readBundledCatalogs } from './bundled-catalogs.ts';
import { type CatalogSituation, planCatalog } from './plan-catalog.ts';
import { providerNotes } from './provider-notes.ts';

const URL = 'http://127.0.0.1:8082/v1';
const EMPTY: CatalogDocument = { providers: [], models: [], virtualModels: [] };

function document(id: string, baseUrl = `https://${id}.example/v1`): CatalogDocument {
  return catalogDocument.parse({
    providers: [{ id, name: id, kind: 'openai-compatible', base_url: baseUrl }],
    models: [
      {
        id: `${id}/small`,
        name: id,
        capability: 'chat',
        tier: 'free',
        upstreams: [{ provider: id, model: 's' }],
      },
    ],
  });
}

const simulated = { name: 'simulated', document: document('simulated', URL) };
const openai = { name: 'openai', document: document('openai') };

function plan(situation: Partial<CatalogSituation>) {
  return planCatalog({
    current: EMPTY,
    state: undefined,
    bundles: [simulated],
    file: undefined,
    simulatedBaseUrl: URL,
    ...situation,
  });
}

const providers = (of: CatalogDocument | undefined) => of?.providers.map(({ id }) => id);

it('no bundled provider keeps a hanging call, and its reserved money, for more than five minutes', () => {
  const catalogs = readBundledCatalogs({
    AZURE_OPENAI_RESOURCE: 'r',
    GOOGLE_CLOUD_PROJECT: 'p',
    AWS_REGION: 'us-east-1',
  });
  const timeouts = catalogs.flatMap(({ document: { providers } }) =>
    providers.map(({ id, timeouts_ms }) => [id, timeouts_ms.first_byte_plain]),
  );
  expect(timeouts.length).toBeGreaterThanOrEqual(10);
  expect(timeouts).toEqual(timeouts.map(([id]) => [id, 300_000]));
});

describe('the catalog of a start', () => {
  it('is every usable bundled catalog in a new data directory', () => {
    const { document: applied, state } = plan({ bundles: [openai, simulated] });
    expect(providers(applied)).toEqual(['openai', 'simulated']);
    expect(state).toEqual({ source: 'bundled', bundles: ['openai', 'simulated'], simulated_base_url: URL });
  });

  it("keeps the user's changes at later starts", () => {
    const { state } = plan({});
    expect(plan({ current: EMPTY, state }).document).toBeUndefined();
    expect(plan({ current: document('mine'), state }).document).toBeUndefined();
  });

  it('gains a bundled provider once when its key is set, and not again after the user removed it', () => {
    const first = plan({});
    const current = simulated.document;
    const second = plan({ current, state: first.state, bundles: [openai, simulated] });
    expect(providers(second.document)).toEqual(['simulated', 'openai']);
    expect(plan({ current, state: second.state, bundles: [openai, simulated] }).document).toBeUndefined();
  });

  it('keeps what the user changed in a provider that is bundled, too', () => {
    const mine = document('openai', 'https://proxy.example/v1');
    const { document: applied } = plan({
      current: mine,
      state: plan({}).state,
      bundles: [openai, simulated],
    });
    expect(applied?.providers[0]?.base_url ?? mine.providers[0]?.base_url).toBe('https://proxy.example/v1');
    expect(applied?.models).toHaveLength(1);
  });

  it('follows all APIs of the simulated provider to another port', () => {
    const moved = 'http://127.0.0.1:8999/v1';
    const bundles = readBundledCatalogs().filter(({ name }) => name === 'simulated');
    const first = plan({ bundles, simulatedBaseUrl: moved });
    const addresses = (of: CatalogDocument | undefined) => of?.providers.map(({ base_url }) => base_url);
    expect(addresses(first.document)).toEqual([moved, moved, moved]);
    const current = first.document ?? EMPTY;
    const again = plan({ bundles, current, state: first.state, simulatedBaseUrl: URL });
    expect(addresses(again.document)).toEqual([URL, URL, URL]);
  });

  it('follows the simulated provider to another port', () => {
    const moved = 'http://127.0.0.1:8999/v1';
    expect(plan({ simulatedBaseUrl: moved }).document?.providers[0]?.base_url).toBe(moved);
    const { state } = plan({});
    const later = plan({ current: simulated.document, state, simulatedBaseUrl: moved });
    expect(later.document?.providers[0]?.base_url).toBe(moved);
    expect(later.state.simulated_base_url).toBe(moved);
    const appliedAgain = plan({ current: simulated.document, state: later.state, simulatedBaseUrl: moved });
    expect(appliedAgain.document?.providers[0]?.base_url).toBe(moved);
  });

  it('is the file that is asked for, and nothing is added to it later', () => {
    const mine = document('mine');
    const { document: applied, state } = plan({
      current: simulated.document,
      state: plan({}).state,
      file: mine,
    });
    expect(applied).toBe(mine);
    expect(plan({ current: mine, state, bundles: [openai, simulated] }).document).toBeUndefined();
  });

  it('stays that of an existing database', () => {
    expect(plan({ current: document('mine') })).toMatchObject({
      document: undefined,
      state: { source: 'user' },
    });
  });
});

describe('the bundled catalogs', () => {
  it('are valid, and have a free and a paid simulated model of every capability', () => {
    const all = readBundledCatalogs();
    expect(all.map(({ name }) => name)).toEqual([
      'anthropic',
      'cohere',
      'gemini',
      'groq',
      'mistral',
      'openai',
      'simulated',
    ]);
    const models = all.find(({ name }) => name === 'simulated')?.document.models ?? [];
    const offered = (providerId: string) =>
      models
        .filter(({ upstreams }) => upstreams.some(({ provider }) => provider === providerId))
        .map(({ capability, tier }) => `${capability} ${tier}`)
        .sort();
    expect(offered('simulated')).toEqual(
      capability.options.toSorted().flatMap((name) => [`${name} free`, `${name} paid`]),
    );
    expect(offered('simulated-anthropic')).toEqual(['chat free', 'chat paid']);
    expect(offered('simulated-openai')).toEqual(['chat free', 'chat paid']);
  });

  it('can all be loaded together: a name that several have is a real provider’s, whichever was there first', () => {
    const every = readBundledCatalogs({ AZURE_OPENAI_RESOURCE: 'mine', AWS_REGION: 'eu-central-1' });
    const bundled = (...names: string[]) => every.filter(({ name }) => names.includes(name));
    const ownerOf = (alias: string, { models = [] }: Partial<CatalogDocument> = {}) =>
      models.filter(({ aliases }) => aliases.includes(alias)).map(({ id }) => id);
    const alone = plan({ bundles: bundled('simulated') });
    expect(ownerOf('gpt-4o', alone.document)).toEqual(['simulated/gpt-free']);
    const later = plan({
      bundles: bundled('openai', 'simulated'),
      ...(alone.document === undefined ? {} : { current: alone.document }),
      state: alone.state,
    });
    const together = plan({ bundles: every });
    for (const { document: applied } of [later, together]) {
      if (applied === undefined) throw new Error('nothing is applied');
      expect(checkCatalog(fileOfDocument(applied))).toHaveProperty('document');
      expect(ownerOf('gpt-4o', applied)).toEqual(['openai/gpt-4o']);
      // A name that no real provider has stays the simulated one's.
      expect(ownerOf('rerank-v3.5', applied)).toEqual(['simulated/rerank-free']);
      expect(applied.models.map(({ id }) => id)).toContain('simulated/gpt-free');
    }
  });

  it('let callers ask by the names that the providers themselves use', () => {
    for (const name of ['anthropic', 'cohere', 'gemini', 'mistral', 'openai']) {
      const { models = [] } = readBundledCatalogs().find((each) => each.name === name)?.document ?? {};
      for (const { aliases, id, upstreams } of models) {
        expect([id, ...aliases]).toContain(upstreams[0]?.model);
      }
    }
  });

  it('name a resource of Azure that the environment names, and are not offered without it', () => {
    const key = { AZURE_OPENAI_API_KEY: 'secret' };
    const names = (environment: Record<string, string>) =>
      bundledCatalogs(environment).map(({ name }) => name);
    expect(names({ ...key })).toEqual(['simulated']);
    expect(names({ AZURE_OPENAI_RESOURCE: 'mine' })).toEqual(['simulated']);
    const usable = bundledCatalogs({ ...key, AZURE_OPENAI_RESOURCE: 'mine' });
    expect(usable.find(({ name }) => name === 'azure-openai')?.document.providers).toMatchObject([
      { kind: 'azure-openai', base_url: 'https://mine.openai.azure.com/openai/v1' },
    ]);
  });

  it('name a region of AWS that the environment names, and are not offered without it', () => {
    const key = { AWS_BEARER_TOKEN_BEDROCK: 'secret' };
    expect(bundledCatalogs(key).map(({ name }) => name)).toEqual(['simulated']);
    const usable = bundledCatalogs({ ...key, AWS_REGION: 'eu-central-1' });
    const bedrock = usable.find(({ name }) => name === 'bedrock')?.document;
    expect(bedrock?.providers).toMatchObject([
      { kind: 'bedrock', base_url: 'https://bedrock-runtime.eu-central-1.amazonaws.com' },
    ]);
    const chats = bedrock?.models.filter(({ capability }) => capability === 'chat') ?? [];
    expect(chats.every(({ max_output_tokens: most }) => most !== undefined)).toBe(true);
  });

  it('name a project of Google Cloud that the environment names, and are not offered without it', () => {
    const key = { GOOGLE_APPLICATION_CREDENTIALS: '/keys/gateway.json' };
    expect(bundledCatalogs(key).map(({ name }) => name)).toEqual(['simulated']);
    const usable = bundledCatalogs({ ...key, GOOGLE_CLOUD_PROJECT: 'mine' });
    const vertex = usable.find(({ name }) => name === 'vertex')?.document;
    expect(vertex?.providers).toMatchObject([
      { kind: 'vertex', base_url: 'https://aiplatform.googleapis.com/v1/projects/mine/locations/global' },
    ]);
    expect(vertex?.models.every(({ max_output_tokens: most }) => most !== undefined)).toBe(true);
  });

  it('have chats of Anthropic at its own address, in its own API, each with a bound and a price', () => {
    const { providers = [], models = [] } =
      readBundledCatalogs().find(({ name }) => name === 'anthropic')?.document ?? {};
    expect(providers).toMatchObject([
      {
        id: 'anthropic',
        kind: 'anthropic',
        base_url: 'https://api.anthropic.com/v1',
        credential_env: ['ANTHROPIC_API_KEY'],
      },
    ]);
    expect(models.length).toBeGreaterThan(5);
    for (const model of models) {
      expect(model).toMatchObject({ capability: 'chat', tier: 'paid' });
      expect(model.id).toBe(`anthropic/${model.upstreams[0]?.model}`);
      // A caller of another API may leave its bound out; this API has none to leave out.
      expect(model.max_output_tokens).toBeGreaterThan(8_000);
      expect(model.context_length).toBeGreaterThan(model.max_output_tokens ?? 0);
    }
  });

  it('have chats of Gemini at its own address, in its own API, each with a bound, a price and tiers', () => {
    const { providers = [], models = [] } =
      readBundledCatalogs().find(({ name }) => name === 'gemini')?.document ?? {};
    expect(providers).toMatchObject([
      {
        kind: 'gemini',
        base_url: 'https://generativelanguage.googleapis.com/v1beta',
        credential_env: ['GEMINI_API_KEY'],
      },
    ]);
    expect(models.length).toBeGreaterThan(3);
    for (const { capability, id, max_output_tokens, pricing, upstreams } of models) {
      expect(id).toBe(`google/${upstreams[0]?.model}`);
      if (capability !== 'chat') continue;
      expect(max_output_tokens).toBeGreaterThan(8_000);
      // Units that Gemini reports apart must not be charged at the highest price.
      for (const prices of [pricing, ...(pricing.tiers ?? [])]) {
        expect(prices.image_input_per_million_usd).toBe(prices.input_per_million_usd);
        expect(prices.audio_input_per_million_usd).toBeDefined();
      }
    }
  });

  it('charge what Anthropic writes to a cache as its list does, by the price of input, in every tier', () => {
    const { models = [] } = readBundledCatalogs().find(({ name }) => name === 'anthropic')?.document ?? {};
    const priced = models.flatMap(({ pricing }) => [pricing, ...(pricing.tiers ?? [])]);
    expect(priced.length).toBeGreaterThan(models.length);
    for (const prices of priced) {
      const input = Number(prices.input_per_million_usd);
      expect(Number(prices.cache_write_per_million_usd)).toBeCloseTo(input * 1.25, 9);
      expect(Number(prices.cache_write_1h_per_million_usd)).toBeCloseTo(input * 2, 9);
      expect(Number(prices.output_per_million_usd)).toBeCloseTo(input * 5, 9);
      expect(Number(prices.cached_input_per_million_usd)).toBeLessThanOrEqual(input / 10);
    }
  });

  it('are used when the key of their provider is set', () => {
    const names = (environment: Record<string, string>) =>
      bundledCatalogs(environment).map(({ name }) => name);
    expect(names({})).toEqual(['simulated']);
    expect(names({ OPENAI_API_KEY: 'sk-test', MISTRAL_API_KEY: '' })).toEqual(['openai', 'simulated']);
    expect(names({ ANTHROPIC_API_KEY: 'sk-ant-test' })).toEqual(['anthropic', 'simulated']);
    expect(names({ GEMINI_API_KEY: 'AIza-test' })).toEqual(['gemini', 'simulated']);
    expect(names({ COHERE_API_KEY: 'test' })).toEqual(['cohere', 'simulated']);
  });
});

describe('what is said of providers', () => {
  it('names a key that is missing, and a key that nothing uses', () => {
    const mine = catalogDocument.parse({
      providers: [
        {
          id: 'acme',
          name: 'Acme',
          kind: 'openai-compatible',
          base_url: URL,
          credential_env: 'ACME_API_KEY',
        },
      ],
      models: [],
    });
    const bundles = readBundledCatalogs().filter(({ name }) => name === 'openai');
    expect(providerNotes(mine, { OPENAI_API_KEY: 'sk-test' }, bundles)).toEqual([
      expect.stringMatching(/^Acme cannot be used: ACME_API_KEY is not set/),
      expect.stringMatching(/^OPENAI_API_KEY is set, but your catalog has no OpenAI/),
    ]);
    expect(providerNotes(mine, { ACME_API_KEY: 'x' }, [])).toEqual([]);
  });
});

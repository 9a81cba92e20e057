import type { CatalogDocumentInput } from '@model-gateway/shared';
import { envelopeOf, modelEntry, simulatedCatalog, withGateway } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { payingKey } from './money-fixture.ts';

let rawKey: string;

const gateway = withGateway({ ownPools: true, document: withTokenPrices });
beforeAll(async () => {
  ({ rawKey } = await payingKey(gateway, '1000'));
});

/** The simulated models, images that are paid by the token, and a chat whose provider speaks Responses. */
function withTokenPrices(baseUrl: string): CatalogDocumentInput {
  const document = simulatedCatalog(baseUrl);
  const [provider] = document.providers;
  if (provider === undefined) throw new Error('there is always a provider');
  const pricing = { input_per_million_usd: '1', output_per_million_usd: '2' };
  const speaking = modelEntry('speaking/chat', { speaking: 'sim-chat-pro' }, { tier: 'paid', pricing });
  const either = modelEntry(
    'either/chat',
    { speaking: 'sim-chat-pro', sim: 'sim-chat-pro' },
    { tier: 'paid', pricing: { ...pricing, web_search_request_usd: '0.01' } },
  );
  // Nothing listens there.
  const unreachable = {
    ...provider,
    id: 'speaking',
    base_url: 'http://127.0.0.1:9/v1',
    apis: ['chat' as const, 'responses' as const],
  };
  const image = document.models.find(({ id }) => id === 'sim/image-pro');
  if (image === undefined) throw new Error('there is always an image model');
  const byToken = { image_usd: '0', input_per_million_usd: '5', output_per_million_usd: '40' };
  return {
    providers: [...document.providers, unreachable],
    models: [...document.models, { ...image, id: 'sim/image-tokens', pricing: byToken }, speaking, either],
  };
}

const ask = (path: string, body: object) => gateway.ask(path, body, { key: rawKey });
const chat = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 };
const tool = (type: string) => ({ type, function: { name: 'f', parameters: { type: 'object' } } });

describe('a chat field that changes the price and has none', () => {
  it.each<[string, object, string]>([
    ['a slower tier', { service_tier: 'flex' }, 'service_tier'],
    ['a search', { web_search_options: { search_context_size: 'high' } }, 'web_search_options'],
    ['an empty search', { web_search_options: {} }, 'web_search_options'],
    ['a search as xAI names it', { search_parameters: { mode: 'on' } }, 'search_parameters'],
    ['audio', { modalities: ['text', 'audio'] }, 'modalities'],
    ['a voice', { audio: { voice: 'alloy', format: 'mp3' } }, 'audio'],
    ['a tool of the provider', { tools: [tool('function'), tool('web_search')] }, 'tools[1].type'],
    ['a tool in disguise', { tools: [{ ...tool('function'), Type: 'web_search' }] }, 'tools[0].type'],
    ['more answers than come back', { n: 1, best_of: 20 }, 'best_of'],
  ])('%s is refused by a paid model and taken by a free one', async (_name, more, param) => {
    const { body, status } = await ask('chat/completions', { ...chat, ...more, model: 'sim/chat-pro' });
    expect(status, body).toBe(400);
    expect(envelopeOf({ body })).toMatchObject({ code: 'invalid_request', param });
    expect(envelopeOf({ body }).message).toMatch(/no price for (?:it|the tier "\w+")\. \S.*\.$/);
    expect(gateway.provider.requests).toHaveLength(0);
    const free = await ask('chat/completions', { ...chat, ...more, model: 'sim/chat-free' });
    expect(free.status, free.body).toBe(200);
    expect(gateway.provider.requests[0]?.body).toMatchObject(more);
  });

  it('a faster tier is refused by paid and free models, in every API', async () => {
    const asks: [path: string, body: object][] = [
      ['chat/completions', chat],
      ['messages', chat],
      ['responses', { input: 'hi', max_output_tokens: 5 }],
    ];
    for (const [path, body] of asks)
      for (const model of ['sim/chat-pro', 'sim/chat-free']) {
        const refused = await ask(path, { ...body, model, service_tier: 'priority' });
        expect(refused.status, refused.body).toBe(400);
        expect(refused.body).toContain(`the model \\"${model}\\" has no price for the tier \\"priority\\"`);
      }
    expect(gateway.provider.requests).toHaveLength(0);
  });

  it.each<[string, object]>([
    ['the usual tiers', { service_tier: 'auto' }],
    ['the default tier', { service_tier: 'default' }],
    ['null', { service_tier: null, web_search_options: null, audio: null }],
    ['text', { modalities: ['text'] }],
    ['own tools', { tools: [tool('function')] }],
    ['what costs tokens alone', { reasoning_effort: 'high', store: true, logprobs: true, seed: 1 }],
    ['a prediction', { prediction: { type: 'content', content: 'hi' } }],
  ])('%s passes at a paid model', async (_name, more) => {
    const answer = await ask('chat/completions', { ...chat, ...more, model: 'sim/chat-pro' });
    expect(answer.status, answer.body).toBe(200);
  });
});

describe('a field of Responses that changes the price and has none', () => {
  it.each<[string, object, string]>([
    [
      'a search in a group of tools',
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] }] },
      'tools[0].tools[0].type',
    ],
    [
      'pictures that an item of the input brings',
      { input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'image_generation' }] }] },
      'input[0].tools[0].type',
    ],
    [
      'a search among the tools that were found',
      { input: [{ type: 'tool_search_output', tools: [{ type: 'web_search' }] }] },
      'input[0].tools[0].type',
    ],
    [
      'a shell in disguise',
      { tools: [{ type: 'shell', environment: { type: 'local' }, Environment: { type: 'container_auto' } }] },
      'tools[0].environment',
    ],
    ['a type that is no text', { tools: [{ type: ['web_search'] }] }, 'tools[0].type'],
    ['agents at the provider', { multi_agent: { enabled: true } }, 'multi_agent'],
  ])('%s is refused where it would pass through', async (_name, more, param) => {
    const request = { model: 'speaking/chat', input: 'hi', max_output_tokens: 5, ...more };
    const { body, status } = await ask('responses', request);
    expect(status, body).toBe(400);
    expect(envelopeOf({ body })).toMatchObject({ code: 'invalid_request', param });
  });

  it('a faster tier is refused, at providers of all APIs', async () => {
    for (const model of ['speaking/chat', 'sim/chat-pro']) {
      const { body, status } = await ask('responses', { model, input: 'hi', service_tier: 'priority' });
      expect(status, body).toBe(400);
      expect(envelopeOf({ body })).toMatchObject({ code: 'invalid_request', param: 'service_tier' });
    }
    expect(gateway.provider.requests).toHaveLength(0);
  });

  it.each<[string, object, string]>([
    ['a search', { tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    ['files that are searched', { tools: [{ type: 'file_search' }] }, 'tools[0].type'],
    ['pictures', { tools: [{ type: 'image_generation' }] }, 'tools[0].type'],
    [
      'a search that an item of the input adds',
      {
        input: [
          { role: 'user', content: 'hi' },
          { type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] },
        ],
      },
      'input[1].tools[0].type',
    ],
  ])(
    '%s is refused where it would pass through, and free where it is left out',
    async (_name, more, param) => {
      const responses = (model: string, extra: object) =>
        ask('responses', { model, input: 'hi', max_output_tokens: 5, ...extra });
      const { body, status } = await responses('speaking/chat', more);
      expect(status, body).toBe(400);
      expect(envelopeOf({ body })).toMatchObject({ code: 'invalid_request', param });
      expect(gateway.provider.requests).toHaveLength(0);

      const [translated, plain] = [
        await responses('sim/chat-pro', more),
        await responses('sim/chat-pro', {}),
      ];
      expect(translated.status, translated.body).toBe(200);
      expect(translated.headers.get('x-gateway-ignored')).toContain(
        param.replace(/^input\[1\]\./, '').replace(/\[0\]\.type/, '['),
      );
      const [row, other] = [await gateway.recordOf(translated), await gateway.recordOf(plain)];
      expect(row.charged).toBe(other.charged);
      // They differ by the bytes of the JSON of the field, which count as input.
      expect(Number(row.held) - Number(other.held)).toBeLessThan(200_000);
    },
  );
});

it('searches are free when the provider that answers runs none', async () => {
  const tools = [{ type: 'web_search' }];
  const bill = async (more: object) => {
    const request = { model: 'either/chat', input: 'hi', max_output_tokens: 5, ...more };
    const answer = await ask('responses', request);
    expect(answer.status, answer.body).toBe(200);
    return gateway.recordOf(answer);
  };
  const [searched, plain] = [await bill({ tools }), await bill({})];
  expect(searched.charged).toBe(plain.charged);
  // Searches are reserved nevertheless, because the first provider might have run them.
  expect(Number(searched.held)).toBeGreaterThan(Number(plain.held) + 10_000_000);
});

it('a prediction is reserved as output', async () => {
  const held = async (more: object) => {
    const response = await ask('chat/completions', { ...chat, ...more, model: 'sim/chat-pro' });
    return BigInt(String((await gateway.recordOf(response)).held));
  };
  const content = 'word '.repeat(1_000);
  // As input and as output: 1 and 2 dollars a million.
  expect(await held({ prediction: { type: 'content', content } })).toBeGreaterThan(
    (await held({})) + 5_000n * 2_000n + 1_250n * 1_000n,
  );
});

describe('images that are paid by the token', () => {
  const draw = async (more: object) => {
    const body = { model: 'sim/image-tokens', prompt: 'a red square', ...more };
    const response = await ask('images/generations', body);
    expect(response.status, response.body).toBe(200);
    const row = await gateway.recordOf(response);
    const amount = (name: string) => BigInt(String(row[name]));
    expect(amount('cost')).toBe(amount('input_tokens') * 5_000n + amount('output_tokens') * 40_000n);
    expect(amount('cost')).toBeLessThanOrEqual(amount('held'));
    return row;
  };

  it('images cost what the provider counted', async () => {
    expect(await draw({ n: 2 })).toMatchObject({
      output_tokens: 2_112n,
      images: 2n,
      usage_source: 'provider',
    });
    expect(await draw({ stream: true, partial_images: 2 })).toMatchObject({ output_tokens: 1_056n });
  });

  it('images cost their reservation when the provider does not count', async () => {
    for (const usage of ['missing', 'absurd', 'worded']) {
      const row = await draw({ n: 2, simulate: { usage } });
      expect(row).toMatchObject({ output_tokens: 12_480n, images: 2n, usage_source: 'estimated' });
    }
  });
});

it.each([
  ['embeddings', { input_per_million_usd: '1', output_per_million_usd: '1' }, 'output_per_million_usd'],
  ['chat', { input_per_million_usd: '1', output_per_million_usd: '1', image_usd: '1' }, 'image_usd'],
  ['transcription', { audio_second_usd: '1', input_per_million_usd: '1' }, 'input_per_million_usd'],
] as const)(
  'a catalog cannot give %s a price for a unit that it is not metered by',
  async (capability, pricing, price) => {
    const document = simulatedCatalog(gateway.provider.baseUrl);
    const models = document.models.map((model) =>
      model.capability === capability && model.tier === 'paid' ? { ...model, pricing } : model,
    );
    await expect(gateway.applyCatalog({ ...document, models })).rejects.toThrow();
    const zero = models.map((model) =>
      model.pricing === pricing ? { ...model, pricing: { ...pricing, [price]: '0' } } : model,
    );
    await gateway.applyCatalog({ ...document, models: zero });
  },
);

import { simulatedCatalog, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { openAiOf } from './official-clients.ts';

const gateway = withGateway({
  document: (baseUrl) => {
    const { models, providers } = simulatedCatalog(baseUrl);
    return {
      providers,
      models: models.map((model) =>
        model.id === 'sim/moderate-free'
          ? { ...model, aliases: ['omni-moderation-latest'], tokens_per_media_part: 2_000 }
          : model,
      ),
    };
  },
});
const create = (body: object) => gateway.ask('moderations', body);
const record = () => gateway.logLines('"route":"/v1/moderations"').at(-1);

it('the official client gets a result for each text, also without a model', async () => {
  const client = openAiOf(gateway);
  const answer = await client.moderations.create({ input: ['a lighthouse', 'attack them'] });
  expect(answer.model).toBe('sim/moderate-free');
  expect(answer.results.map(({ flagged }) => flagged)).toEqual([false, true]);
  expect(answer.results[1]?.categories.violence).toBe(true);
  const [sent] = gateway.provider.requests;
  expect(sent?.body).toEqual({ model: 'sim-moderate-free', input: ['a lighthouse', 'attack them'] });
  expect(record()).toMatchObject({ model: 'sim/moderate-free', usage_source: 'provider' });
});

it('text and images are one content, which the provider gets unchanged', async () => {
  const input = [
    { type: 'text', text: 'attack', tag: 'kept' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  ];
  const { body, status } = await create({ model: 'sim/moderate-free', input, notre: { a: 1 } });
  expect(status).toBe(200);
  expect(JSON.parse(body).results).toMatchObject([{ flagged: true }]);
  expect(gateway.provider.requests[0]?.body).toEqual({ model: 'sim-moderate-free', input });
});

it('a moderation that its provider does not count costs an estimate of its text', async () => {
  await create({ model: 'sim/moderate-free', input: 'twelve bytes', simulate: { usage: 'missing' } });
  expect(record()).toMatchObject({ input_tokens: 3, usage_source: 'estimated' });
});

it.each([
  ['in the request', `data:image/png;base64,${'A'.repeat(30_000)}`],
  ['in a large request', `data:image/png;base64,${'A'.repeat(2_000_000)}`],
  ['at a URL', 'https://example.com/a.png'],
])(
  'an image that its provider does not count costs as many tokens as the catalog says: %s',
  async (_at, url) => {
    const input = [
      { type: 'text', text: 'twelve bytes' },
      { type: 'image_url', image_url: { url } },
    ];
    await create({ model: 'sim/moderate-free', input, simulate: { usage: 'missing' } });
    expect(record()).toMatchObject({ input_tokens: 2_003, usage_source: 'estimated' });
  },
);

it.each([
  ['nothing', undefined],
  ['an empty list', []],
  ['a number', 1],
  ['texts and parts', ['a', { type: 'text', text: 'b' }]],
  ['a part of an unknown type', [{ type: 'audio', audio: 'a' }]],
  ['an image without a URL', [{ type: 'image_url', image_url: {} }]],
  ['too many texts', Array.from({ length: 2_049 }, () => 'x')],
])('%s as input is refused', async (_name, input) => {
  const { body, status } = await create({ model: 'sim/moderate-free', input });
  expect(status).toBe(400);
  expect(JSON.parse(body).error.param).toMatch(/^input/);
});

it('a model of another capability is refused', async () => {
  const { body, status } = await create({ model: 'sim/chat-free', input: 'hi' });
  expect([status, JSON.parse(body).error.code]).toEqual([400, 'wrong_endpoint']);
});

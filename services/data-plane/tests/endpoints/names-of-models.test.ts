import type { CatalogDocumentInput } from '@model-gateway/shared';
import { usageSummary } from '@model-gateway/shared';
import { envelopeOf, startGatewayWithKey, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { bothApis } from './both-apis.ts';
import { MODEL_ROUTES, type ModelRoute, writeRequest } from './model-requests.ts';
import { anthropicOf, openAiOf } from './official-clients.ts';

const HI = [{ role: 'user', content: 'hi' }];
const aliasOf = (id: string) => id.replace('sim/', 'Alias@of:');
const virtualOf = (id: string) => id.replace('sim/', 'virtual/');

/** Each model with an alias and a virtual model of its own, the names of well-known models, and a canary. */
function document(baseUrl: string): CatalogDocumentInput {
  const { models, providers } = bothApis(baseUrl);
  const known: Record<string, string> = {
    'sim/chat-free': 'gpt-4o',
    'sim/claude-free': 'claude-sonnet-4-5',
    'sim/embed-free': 'text-embedding-3-small',
  };
  return {
    providers,
    models: [
      ...models.map((model) => ({
        ...model,
        aliases: [aliasOf(model.id), known[model.id] ?? `the/${model.id}`],
      })),
      ...models.map(({ id }) => ({
        id: virtualOf(id),
        name: id,
        kind: 'virtual' as const,
        models: [{ model: id }],
      })),
      {
        id: 'sim/canary',
        name: 'Canary',
        kind: 'virtual',
        aliases: ['stable'],
        models: [
          { model: 'sim/chat-free', weight: 1 },
          { model: 'sim/claude-free', weight: 1 },
        ],
      },
    ],
  };
}

const gateway = withGateway({ document, catalog: true });

async function send(route: ModelRoute, model: string, key = gateway.rawKey) {
  const { contentType, bytes } = writeRequest(route, model);
  const options = { key, headers: { 'content-type': contentType } };
  const answer = await gateway.ask(route.path, new Uint8Array(bytes), options);
  return { ...answer, named: answer.headers.get('x-gateway-model') };
}

const CHAT_ROUTE: ModelRoute = {
  name: 'chat',
  path: 'chat/completions',
  model: 'chat',
  fields: { messages: HI },
};
const EMBEDDINGS_ROUTE: ModelRoute = {
  name: 'embeddings',
  path: 'embeddings',
  model: 'embed',
  fields: { input: ['a'] },
};
const ROUTES: ModelRoute[] = [
  ...MODEL_ROUTES,
  { name: 'responses', path: 'responses', model: 'chat', fields: { input: 'hi' } },
  { name: 'streamed responses', path: 'responses', model: 'chat', fields: { input: 'hi', stream: true } },
  {
    name: 'a count of tokens',
    path: 'messages/count_tokens',
    model: 'claude',
    fields: { messages: HI },
    hasNotes: false,
  },
];

describe.each(ROUTES)('$name', (route) => {
  it.each([
    ['an alias', aliasOf],
    ['a virtual model', virtualOf],
  ])(
    "a request by %s is served by its model, and the response has only the model's id",
    async (_what, nameOf) => {
      const id = `sim/${route.model}-pro`;
      const { body, named, status } = await send(route, nameOf(id));
      expect(status, body).toBe(200);
      expect(named).toBe(id);
      const names = [...body.matchAll(/"model": ?"([^"]+)"/g)].map(([, name]) => name);
      expect([...new Set(names)].filter((name) => name !== id)).toEqual([]);
      for (const { body: asked } of gateway.provider.requests) {
        expect(JSON.stringify(asked)).not.toContain(nameOf(id));
      }
    },
  );
});

it('usage counts every request under the model that answered it', async () => {
  const { rawKey: own } = await gateway.createKey();
  for (const name of ['sim/chat-pro', aliasOf('sim/chat-pro'), virtualOf('sim/chat-pro')]) {
    await send(CHAT_ROUTE, name, own);
  }
  const read = async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/usage?group_by=model`, {
      headers: { authorization: `Bearer ${own}` },
    });
    const { data } = usageSummary.parse(await response.json());
    return data.flatMap(({ results }) => results.map(({ model, requests }) => [model, requests]));
  };
  await expect.poll(read).toEqual([['sim/chat-pro', 3]]);
});

it('a virtual model spreads its requests, and each response names the model that answered', async () => {
  const named = new Map<string | null, number>();
  // All on one side: once in 2^39 times.
  for (let time = 0; time < 40; time++) {
    const answer = await send(CHAT_ROUTE, time % 2 === 0 ? 'sim/canary' : 'stable');
    expect(answer.body).toContain(`"model":"${answer.named}"`);
    named.set(answer.named, (named.get(answer.named) ?? 0) + 1);
  }
  expect([...named.keys()].toSorted()).toEqual(['sim/chat-free', 'sim/claude-free']);
});

it('no alias or virtual model leads to a paid model without money', async () => {
  await using poor = await startGatewayWithKey({ document, ownPools: true });
  for (const model of ['sim/chat-pro', aliasOf('sim/chat-pro'), virtualOf('sim/chat-pro')]) {
    const answer = await poor.chat({ model });
    expect([model, answer.status]).toEqual([model, 402]);
    expect(envelopeOf(answer).code).toBe('insufficient_balance');
  }
});

it.each([['GPT-4o'], ['gpt-4'], ['alias@of:chat-pro'], ['__proto__'], ['sim/canary ']])(
  'an unknown name gets 404: %s',
  async (model) => {
    const { body, status } = await send(CHAT_ROUTE, model);
    expect(status).toBe(404);
    expect(envelopeOf({ body }).code).toBe('model_not_found');
  },
);

it('an alias or virtual model of another capability gets wrong_endpoint', async () => {
  for (const name of ['gpt-4o', 'sim/canary']) {
    const { body, status } = await send(EMBEDDINGS_ROUTE, name);
    expect(status).toBe(400);
    expect(envelopeOf({ body }).code).toBe('wrong_endpoint');
  }
});

it('metrics never contain a name that a caller sent', async () => {
  const [plane] = gateway.dataPlanes;
  const text = await (await fetch(`http://127.0.0.1:${plane?.internalPort}/metrics`)).text();
  expect(text).toContain('provider="sim"');
  expect(text).not.toMatch(/Alias@of|virtual\/|gpt-4|sim\/canary/);
});

describe('clients that change only base URL and key', () => {
  it("OpenAI's client uses OpenAI's model names", async () => {
    const client = openAiOf(gateway);
    const messages = [{ role: 'user' as const, content: 'Why is the sky blue?' }];
    const completion = await client.chat.completions.create({ model: 'gpt-4o', messages });
    expect(completion.model).toBe('sim/chat-free');
    expect(completion.choices[0]?.message.content?.length).toBeGreaterThan(20);
    for await (const chunk of await client.chat.completions.create({
      model: 'gpt-4o',
      messages,
      stream: true,
    })) {
      expect(chunk.model).toBe('sim/chat-free');
    }
    const embedding = await client.embeddings.create({ model: 'text-embedding-3-small', input: 'hi' });
    expect(embedding.model).toBe('sim/embed-free');
    expect((await client.responses.create({ model: 'gpt-4o', input: 'hi' })).model).toBe('sim/chat-free');
    expect((await client.models.retrieve('gpt-4o')).id).toBe('sim/chat-free');
    expect((await client.models.retrieve('sim/canary')).id).toBe('sim/canary');
  });

  it("Anthropic's client uses Anthropic's model names", async () => {
    const client = anthropicOf(gateway);
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const request = { model: 'claude-sonnet-4-5', max_tokens: 50, messages };
    expect((await client.messages.create(request)).model).toBe('sim/claude-free');
    const streamed = client.messages.stream(request);
    expect((await streamed.finalMessage()).model).toBe('sim/claude-free');
    expect((await client.models.retrieve('claude-sonnet-4-5')).id).toBe('sim/claude-free');
  });
});

it.each([
  ['/chat/completions', /^Your base URL must end in \/v1\./],
  ['/v1/v1/chat/completions', /^The path has \/v1 twice\./],
  ['/v1/v1/messages', /clients add \/v1 themselves\. Their base URL must not end in \/v1 /],
  ['/v1/messages/v1/messages', /clients add \/v1 themselves\. Their base URL must not end in \/v1 /],
  ['/v1/chat/completions/chat/completions', /^Your base URL must end in \/v1, without the path/],
])('a request to %s is told what is wrong with its base URL', async (path, message) => {
  const response = await fetch(`${gateway.baseUrl}${path}`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(404);
  expect(envelopeOf({ body: await response.text() })).toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(message),
  });
});

it('a name that is nearly that of a model is answered with the names that may be meant', async () => {
  const { status, body } = await send(CHAT_ROUTE, 'chat-fre');
  expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining('sim/chat-free')]);
});

it('the name of an alias is no advice for a model of a provider that is not set up', async () => {
  const answer = await send(CHAT_ROUTE, 'openai/gpt-4o');
  expect(answer.status).toBe(404);
  expect(envelopeOf(answer)).toMatchObject({
    code: 'model_not_found',
    param: 'model',
    message:
      'There is no model "openai/gpt-4o": no provider named "openai" is set up here. ' +
      'GET /v1/models lists all models.',
  });
});

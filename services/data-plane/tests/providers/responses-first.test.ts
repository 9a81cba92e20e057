import { providerEntry, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';

/** Models of OpenAI that take tools at /responses alone, and one that has nothing else. */
const gateway = withGateway(() => ({
  document: (base_url) => ({
    providers: [providerEntry('openai', base_url, { apis: ['chat', 'responses'] })],
    models: (
      [
        ['openai/marked', { prefer: 'responses' }],
        ['openai/responses-only', { apis: ['responses'] }],
        ['openai/unmarked', {}],
      ] as const
    ).map(([id, more]) => ({
      id,
      name: id,
      capability: 'chat',
      tier: 'free',
      upstreams: [
        { provider: 'openai', model: 'sim-gpt-pro', ...('apis' in more ? { apis: [...more.apis] } : more) },
      ],
    })),
  }),
}));

const messages = [{ role: 'user', content: 'use double: {"a":21}' }];
const parameters = { type: 'object', properties: { a: { type: 'number' } } };
const REQUESTS = {
  'chat/completions': { messages, tools: [{ type: 'function', function: { name: 'double', parameters } }] },
  messages: { messages, max_tokens: 1_000, tools: [{ name: 'double', input_schema: parameters }] },
  responses: { input: messages, tools: [{ type: 'function', name: 'double', parameters, strict: false }] },
};

it.each(
  Object.entries(REQUESTS).flatMap(([path, request]) =>
    ['openai/marked', 'openai/responses-only'].map((model) => ({ path, model, request })),
  ),
)('$path with tools goes to Responses at $model', async ({ model, path, request }) => {
  for (const stream of [false, true]) {
    const response = await gateway.post(path, { model, stream, ...request });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(text).toContain('double');
    expect(gateway.provider.requests.at(-1)?.path).toBe('/v1/responses');
  }
});

it('an unmarked model is asked by Chat Completions, and its refusal names the way out', async () => {
  const path = 'chat/completions';
  const response = await gateway.post(path, {
    model: 'openai/unmarked',
    ...REQUESTS[path],
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('Please use /v1/responses instead.');
  expect(gateway.provider.requests.at(-1)?.path).toBe('/v1/chat/completions');
});

it('effort and thinking of Messages reach the model as effort and summary', async () => {
  const response = await gateway.post('messages', {
    model: 'openai/marked',
    messages: [{ role: 'user', content: 'Hi.' }],
    max_tokens: 1_000,
    thinking: { type: 'adaptive' },
    output_config: { effort: 'medium' },
  });
  expect(await response.text()).toContain('"type":"thinking"');
  expect(JSON.parse(gateway.provider.requests.at(-1)?.bodyText ?? '')).toMatchObject({
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
  });
});

import type { CatalogDocumentInput } from '@model-gateway/shared';
import { PROVIDER_CREDENTIAL, simulatedCatalog, withGateway, withStarted } from '@model-gateway/test-kit';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { startSimulatedProvider } from '../../../../packages/simulated-provider/src/index.ts';
import { MODEL_ROUTES, writeRequest } from '../endpoints/model-requests.ts';
import { expectLedgerAgrees, payingKey } from '../money/money-fixture.ts';
import { withoutBreakers } from './without-breakers.ts';

let rawKey: string;

/** Every paid model falls back to the same one at another provider, at five times the price. */
function document(baseUrl: string): CatalogDocumentInput {
  const simulated = simulatedCatalog(baseUrl);
  const [sim] = simulated.providers;
  if (sim === undefined) throw new Error('the simulated catalog has no provider');
  const spare = (id: string) => id.replace('sim/', 'spare/');
  const models = simulated.models.flatMap((model) => ('upstreams' in model ? [model] : []));
  return {
    providers: [
      { ...sim, kind: 'openai-compatible' as const, base_url: baseUrl, apis: ['chat', 'responses'] as const },
      { ...sim, id: 'spare', base_url: second.baseUrl },
    ],
    models: [
      ...models.map((model) => ({ ...model, fallbacks: [spare(model.id)] })),
      ...models.map((model) => ({
        ...model,
        id: spare(model.id),
        upstreams: model.upstreams.map((upstream) => ({ ...upstream, provider: 'spare' })),
        pricing: Object.fromEntries(
          Object.entries(model.pricing ?? {}).map(([name, price]) => [name, String(Number(price) * 5)]),
        ),
      })),
      {
        id: 'sim/either',
        name: 'Either',
        kind: 'virtual' as const,
        models: [
          { model: 'sim/chat-pro', weight: 1 },
          { model: 'spare/chat-pro', weight: 1 },
        ],
      },
    ],
  };
}

const second = withStarted(() => startSimulatedProvider({ apiKey: PROVIDER_CREDENTIAL, tokenDelayMs: 0 }));
const gateway = withGateway(() => ({
  document,
  ownPools: true,
  overrides: withoutBreakers(),
}));
beforeAll(async () => {
  ({ rawKey } = await payingKey(gateway, '100'));
});
beforeEach(() => {
  second.clear();
});

const messages = [{ role: 'user', content: 'hi' }];
const asked = () => [gateway.provider.requests.length, second.requests.length];

const routes = MODEL_ROUTES.filter(({ isForm, model }) => isForm !== true && model !== 'claude');

it.each(routes.map((route) => [route.name, route] as const))(
  'a failed request for %s goes to the fallback in the catalog, at its price',
  async (_name, route) => {
    gateway.provider.script({ status: 500 });
    const model = `${route.model}-pro`;
    const { contentType, bytes } = writeRequest(route, `sim/${model}`);
    const response = await gateway.ask(route.path, new Uint8Array(bytes), {
      key: rawKey,
      headers: { 'content-type': contentType },
    });
    expect(response.status, response.body.slice(0, 500)).toBe(200);
    expect(response.headers.get('x-gateway-model')).toBe(`spare/${model}`);
    expect(asked()).toEqual([1, 1]);
    const row = await gateway.recordOf(response);
    expect(row).toMatchObject({
      model_id: `spare/${model}`,
      billing_reason: expect.stringMatching(/completed|estimated/),
    });
    expect(row.charged).toBeGreaterThan(0n);
    expect(row.charged).toBe(row.cost);
    expect(row.attempts).toMatchObject([
      { providerId: 'sim', modelId: `sim/${model}` },
      { providerId: 'spare' },
    ]);
  },
);

it('a fallback that the balance does not cover is skipped, and the requested model answers', async () => {
  // Enough for the model alone: one token of output is 2,000 nano-USD, and 10,000 at its fallback.
  const { rawKey: poor } = await payingKey(gateway, '0.001');
  const body = { model: 'sim/chat-pro', messages, max_tokens: 200 };
  const served = await gateway.post('chat/completions', body, { key: poor });
  expect(await served.json()).toMatchObject({ model: 'sim/chat-pro' });
  gateway.provider.script({ status: 500 });
  const failed = await gateway.post('chat/completions', { ...body, max_tokens: 150 }, { key: poor });
  await failed.text();
  expect(failed.status).toBe(502);
  expect(second.requests).toHaveLength(0);
});

it('a named model that the balance does not cover gets 402, also behind a virtual model with it', async () => {
  // Enough for one of the members alone.
  const { rawKey: poor } = await payingKey(gateway, '0.001');
  const body = { models: ['sim/either', 'spare/chat-pro'], messages, max_tokens: 200 };
  // Whichever is drawn.
  for (let request = 0; request < 12; request++) {
    const refused = await gateway.post('chat/completions', body, { key: poor });
    await refused.text();
    expect(refused.status).toBe(402);
  }
  expect(asked()).toEqual([0, 0]);
});

it('a caller who lists models gets no fallbacks of the catalog', async () => {
  gateway.provider.script({ status: 500 });
  const body = { models: ['sim/chat-pro'], messages };
  const response = await gateway.post('chat/completions', body, { key: rawKey });
  await response.text();
  expect(response.status).toBe(502);
  expect(asked()).toEqual([1, 0]);
});

it('a failed member of a virtual model is followed by the other', async () => {
  for (let request = 0; request < 8; request++) {
    gateway.provider.clear();
    second.clear();
    gateway.provider.script({ status: 500 });
    const body = { model: 'sim/either', messages };
    const response = await gateway.post('chat/completions', body, { key: rawKey });
    expect(await response.json()).toMatchObject({ model: 'spare/chat-pro' });
    expect(second.requests).toHaveLength(1);
  }
});

it('a request that continues a provider-stored response goes to that provider only', async () => {
  const ask = (further: object) =>
    gateway.post('responses', { model: 'sim/chat-pro', input: 'hi', ...further }, { key: rawKey });
  const before = z.object({ id: z.string() }).parse(await (await ask({})).json());
  gateway.provider.clear();
  gateway.provider.script({ status: 500 });
  const response = await ask({ previous_response_id: before.id });
  await response.text();
  expect(response.status).toBe(502);
  expect(asked()).toEqual([1, 0]);
  gateway.provider.script({ status: 500 });
  expect(await (await ask({})).json()).toMatchObject({ model: 'spare/chat-pro', object: 'response' });
});

it.each([false, true])(
  'a background response that never reached its provider is free, and does not fall back (stream: %s)',
  async (stream) => {
    // A connection that broke is tried once more. The other provider offers no Responses, so no background.
    gateway.provider.script({ reset: 'before_headers' }, { reset: 'before_headers' });
    const body = { model: 'sim/chat-pro', input: 'hi', background: true, stream };
    const response = await gateway.post('responses', body, { key: rawKey });
    await response.text();
    const row = await gateway.recordOf(response);
    expect(row.charged).toBe(0n);
    expect(row).toMatchObject({ model_id: 'sim/chat-pro', billing_reason: 'upstream_failed_free' });
    expect(response.status).toBe(502);
    expect(response.headers.get('x-gateway-model')).toBe('sim/chat-pro');
    expect(second.requests).toHaveLength(0);
  },
);

it('fallbacks leave no reserved money, and the ledger agrees', () => expectLedgerAgrees(gateway));

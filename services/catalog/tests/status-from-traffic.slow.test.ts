import { startGateway, until, untilWithin } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { z } from 'zod';

const statuses = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      requests_5m: z.number().nullable(),
      error_rate_5m: z.number().nullable(),
      latency_ms: z.looseObject({ p50: z.number().nullable() }),
      time_to_first_token_ms: z.looseObject({ p50: z.number().nullable() }).nullable(),
    }),
  ),
});

it('the status of a model is what its requests have met, within five seconds', {}, async () => {
  await using gateway = await startGateway({ catalog: true });
  const { rawKey } = await gateway.createKey();
  const chat = (body: object) =>
    fetch(`${gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim/chat-free', messages: [{ role: 'user', content: 'hi' }], ...body }),
    }).then((response) => response.text());
  const read = async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/status/models`);
    const { data } = statuses.parse(await response.json());
    const find = (id: string) => data.find((entry) => entry.id === id);
    return { free: find('sim/chat-free'), pro: find('sim/chat-pro') };
  };
  for (let count = 0; count < 6; count++) await chat({ stream: count % 2 === 0 });
  // A rejected request says something about the request, and nothing about the provider.
  await chat({ simulate: { status: 400 } });
  await untilWithin(5_000, async () => (await read()).free?.requests_5m === 7);
  const { free, pro } = await read();
  expect(free).toMatchObject({ status: 'operational', error_rate_5m: 0 });
  expect(free?.latency_ms.p50).toBeGreaterThan(0);
  expect(free?.time_to_first_token_ms?.p50).toBeGreaterThan(0);
  expect(pro).toMatchObject({ status: 'operational', requests_5m: 0, error_rate_5m: null });

  for (let count = 0; count < 14; count++) await chat({ simulate: { status: 500 } });
  await until(async () => (await read()).free?.status !== 'operational');
  expect((await read()).free?.error_rate_5m).toBeGreaterThan(0.5);
});

it('failures of the provider count against a model, unless only one account has them', async () => {
  await using gateway = await startGateway({ catalog: true });
  const [hostile, honest] = [await gateway.createKey(), await gateway.createKey()];
  const ask = async ({ rawKey }: { rawKey: string }, path: string, body: object) => {
    const response = await fetch(`${gateway.baseUrl}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.body?.cancel();
  };
  const chat = (key: { rawKey: string }, model: string, simulate: object = {}) =>
    ask(key, 'chat/completions', { model, messages: [{ role: 'user', content: 'hi' }], simulate });
  const read = async (id: string) => {
    const response = await fetch(`${gateway.baseUrl}/v1/status/models`);
    return statuses.parse(await response.json()).data.find((entry) => entry.id === id);
  };
  const failing = async (id: string) => {
    await until(async () => (await read(id))?.requests_5m === 1);
    expect(await read(id)).toMatchObject({ status: 'degraded_performance', uptime_5m: 0, error_rate_5m: 1 });
  };
  const unknown = { status: 404, message: 'The model `x` does not exist' };
  await ask(hostile, 'rerank', { model: 'sim/rerank-free', query: 'q', documents: ['d'], simulate: unknown });
  await failing('sim/rerank-free');
  await ask(hostile, 'embeddings', { model: 'sim/embed-free', input: 'hi', simulate: { status: 429 } });
  await failing('sim/embed-free');

  for (let count = 0; count < 9; count++) await chat(hostile, 'sim/chat-free', { status: 429 });
  await until(async () => (await read('sim/chat-free'))?.status === 'major_outage');
  await chat(honest, 'sim/chat-free');
  await until(async () => (await read('sim/chat-free'))?.status === 'operational');
  expect((await read('sim/chat-free'))?.error_rate_5m).toBe(0.9);
});

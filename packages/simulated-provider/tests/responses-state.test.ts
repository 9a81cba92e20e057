import { until } from '@model-gateway/test-kit/until';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collect, namedEvents } from './read-events.ts';
import { QUESTION, responsesClient, user, WEATHER_TOOL } from './responses-client.ts';
import { API_KEY, testProvider } from './test-provider.ts';

const provider = await testProvider();
const client = new OpenAI({ apiKey: API_KEY, baseURL: provider.baseUrl, maxRetries: 0 });
const send = responsesClient(provider);

const model = 'sim-chat-free';
const request = { model, ...QUESTION };
const tool = { ...WEATHER_TOOL, type: 'function' as const, strict: false };
const create = async (body: object) => z.object({ id: z.string() }).parse(await (await send(body)).json());

describe('a stored response', () => {
  it('can be retrieved with its input until it is deleted', async () => {
    const first = await client.responses.create(request);
    const again = await client.responses.retrieve(first.id);
    expect(again).toEqual(first);
    const items = await client.responses.inputItems.list(first.id);
    expect(items.data).toMatchObject([
      {
        id: expect.stringMatching(/^msg_/),
        role: 'user',
        content: [{ type: 'input_text', text: QUESTION.input }],
      },
    ]);
    const deleted = await send(undefined, { method: 'DELETE', path: `/${first.id}` });
    expect(await deleted.json()).toEqual({ id: first.id, object: 'response', deleted: true });
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  });

  it('is a 404 after `store: false`, as is an unknown id', async () => {
    const { id } = await client.responses.create({ ...request, store: false });
    for (const unknown of [id, 'resp_nothing']) {
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/cancel'],
        ['GET', '/input_items'],
      ] as const) {
        const refused = await send(undefined, { method, path: `/${unknown}${path}` });
        expect(refused.status).toBe(404);
        expect(await refused.json()).toEqual({
          error: {
            message: `Response with id '${unknown}' not found.`,
            type: 'invalid_request_error',
            param: null,
            code: null,
          },
        });
      }
    }
  });

  it('can be continued by its id, with the whole conversation before it', async () => {
    const first = await client.responses.create({
      ...request,
      input: 'use get_weather: {"city":"Oslo"}',
      tools: [tool],
    });
    const [call] = first.output;
    const callId = call?.type === 'function_call' ? call.call_id : '';
    const result = { type: 'function_call_output' as const, call_id: callId, output: 'It rains.' };
    const next = { ...request, previous_response_id: first.id, tools: [tool] };
    const second = await client.responses.create({ ...next, input: [result] });
    expect(second.output_text).toContain('It rains.');
    expect(second.previous_response_id).toBe(first.id);
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? Infinity);
    const items = await client.responses.inputItems.list(second.id, { order: 'asc' });
    expect(items.data.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call_output']);
    const unknown = client.responses.create({ ...request, previous_response_id: 'resp_nothing' });
    await expect(unknown).rejects.toMatchObject({
      status: 404,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      message: expect.stringContaining("Previous response with id 'resp_nothing' not found."),
    });
  });

  it('has items to which a request can refer by id', async () => {
    const { output } = await client.responses.create(request);
    const reference = { type: 'item_reference', id: output[0]?.id ?? '' };
    const next = await create({ input: [user('Why?'), reference, user('And?')] });
    const items = await client.responses.inputItems.list(next.id, { order: 'asc' });
    expect(items.data[1]).toEqual(output[0]);
    const unknown = send({ input: [user('Why?'), { type: 'item_reference', id: 'msg_nothing' }] });
    expect(await (await unknown).json()).toMatchObject({
      error: { message: expect.stringContaining("Item with id 'msg_nothing' not found."), param: 'input' },
    });
  });

  it('lists its input in pages', async () => {
    const input = ['a', 'b', 'c'].map(user);
    const { id } = await create({ input });
    const page = async (query: string) => {
      const list: unknown = await (await send(undefined, { path: `/${id}/input_items?${query}` })).json();
      return z
        .object({
          data: z.array(z.looseObject({ id: z.string() })),
          has_more: z.boolean(),
          last_id: z.string(),
        })
        .parse(list);
    };
    const first = await page('limit=2&order=asc');
    expect(first.has_more).toBe(true);
    expect(first.data.at(-1)?.id).toBe(first.last_id);
    const rest = await page(`order=asc&after=${first.last_id}`);
    expect([...first.data, ...rest.data]).toMatchObject(input.map(({ role }) => ({ role })));
    expect((await page('')).data.map(({ id: itemId }) => itemId)).toEqual(
      [...first.data, ...rest.data].map(({ id: itemId }) => itemId).reverse(),
    );
  });
});

describe('a background response', () => {
  const simulate = { token_delay_ms: 60_000 };

  it('is queued at first, and completed after a moment', async () => {
    const first = await client.responses.create({ ...request, background: true });
    expect(first).toMatchObject({ status: 'queued', background: true, output: [] });
    await until(async () => (await client.responses.retrieve(first.id)).status === 'completed');
    const completed = await client.responses.retrieve(first.id);
    expect(completed.output_text).toContain('sky blue');
    await expect(client.responses.cancel(first.id)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Cannot cancel a completed response.'),
    });
  });

  it('can be cancelled while it is in progress, and stays cancelled', async () => {
    const first = await client.responses.create({ ...request, background: true, ...{ simulate } });
    await until(async () => (await client.responses.retrieve(first.id)).status === 'in_progress');
    for (const _ of [1, 2]) expect((await client.responses.cancel(first.id)).status).toBe('cancelled');
    expect(await client.responses.retrieve(first.id)).toMatchObject({ status: 'cancelled', output: [] });
    const { id } = await client.responses.create(request);
    await expect(client.responses.cancel(id)).rejects.toMatchObject({
      message: expect.stringContaining('Cannot cancel a synchronous response.'),
    });
  });

  it('reports in its stream that it was queued, and the stream can be continued after any event', async () => {
    const stream = await send({ ...QUESTION, background: true, stream: true });
    const events = namedEvents(await stream.text());
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    const { id } = z.object({ id: z.string() }).parse(events.at(-1)?.response);
    const rest = await send(undefined, { path: `/${id}?stream=true&starting_after=3` });
    expect(namedEvents(await rest.text()).map(({ sequence_number: n }) => n)).toEqual(
      events.slice(4).map(({ sequence_number: n }) => n),
    );
    const plain = await client.responses.create(request);
    const refused = await send(undefined, { path: `/${plain.id}?stream=true` });
    expect(refused.status).toBe(400);
  });
});

describe("OpenAI's library", () => {
  it('assembles a stream into a response', async () => {
    const body = { ...request, input: 'use get_weather: {"city":"Oslo"}', tools: [tool], store: false };
    const stream = client.responses.stream({ ...body, reasoning: { effort: 'low', summary: 'auto' } });
    const events = await collect(stream);
    const final = await stream.finalResponse();
    expect(events.length).toBeGreaterThan(10);
    expect(final.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    const words = client.responses.stream(request);
    expect((await words.finalResponse()).output_text).toContain('sky blue');
  });
});

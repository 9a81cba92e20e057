import { addPool, withGateway } from '@model-gateway/test-kit';
import OpenAI from 'openai';
import type { Response as OpenAIResponse, ResponseInputItem } from 'openai/resources/responses/responses';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { allApis, RESPONSES } from '../endpoints/all-apis.ts';
import { CLAUDE } from '../endpoints/both-apis.ts';
import { openAiOf } from '../endpoints/official-clients.ts';
import { counted, STATE, TRANSLATED } from './storage-settings.ts';

const redisUrl = inject('redis')?.url ?? '';

const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    strict: false,
  },
];

describe.skipIf(redisUrl === '')('a conversation that the gateway stores', () => {
  /** With the limits and the money that an operator gives. */

  let client: OpenAI;
  let onOther: OpenAI;

  const gateway = withGateway({ document: allApis, dataPlanes: 2, redisUrl, environment: STATE });
  const payer = withGateway(() => ({
    document: allApis,
    redisUrl,
    environment: STATE,
    ownPools: true,
    defaultLimits: true,
  }));
  beforeAll(async () => {
    const { rawKey } = await gateway.createKey();
    const clientOf = (plane: number) =>
      new OpenAI({ apiKey: rawKey, baseURL: `${gateway.urlOf(plane)}/v1`, maxRetries: 0 });
    client = clientOf(0);
    onOther = clientOf(1);
  });

  /** Returns the last request to the provider. */
  const asked = () => JSON.stringify(gateway.provider.requests.at(-1)?.body);

  describe.each(TRANSLATED)('at %s', (model) => {
    it('a conversation continues on another data plane with everything that was said', async () => {
      const first = await client.responses.create({ model, input: 'My dog is called Bello.' });
      expect(first).toMatchObject({ store: true, status: 'completed', previous_response_id: null });
      const second = await onOther.responses.create({
        model,
        previous_response_id: first.id,
        input: [{ role: 'user', content: 'And my cat is Mimi.' }],
      });
      expect(second).toMatchObject({ store: true, previous_response_id: first.id });
      for (const said of ['Bello', 'Mimi', JSON.stringify(first.output_text).slice(1, 30)])
        expect(asked()).toContain(said);
      const third = await client.responses.create({
        model,
        previous_response_id: second.id,
        input: 'Who has four legs?',
      });
      for (const said of ['Bello', 'Mimi', 'four legs']) expect(asked()).toContain(said);
      expect(third.output_text).not.toBe('');
    });

    it('a conversation continues from a streamed response as soon as its last event arrived', async () => {
      const stream = await client.responses.create({ model, input: 'My dog is Bello.', stream: true });
      let id = '';
      for await (const event of stream) {
        if (event.type === 'response.created') expect(event.response).toMatchObject({ store: true });
        if (event.type === 'response.completed') id = event.response.id;
      }
      await onOther.responses.create({ model, previous_response_id: id, input: 'Well?' });
      expect(asked()).toContain('Bello');
    });

    it('references to stored items are expanded', async () => {
      const user = { role: 'user' as const, content: 'What is the weather in Rome?' };
      const first = await client.responses.create({ model, tools, tool_choice: 'required', input: [user] });
      const call = first.output.find((item) => item.type === 'function_call');
      if (call?.id === undefined) throw new Error('no tool was called');
      const references: ResponseInputItem[] = first.output.map(({ id }) => ({
        type: 'item_reference',
        id: id ?? '',
      }));
      const second = await onOther.responses.create({
        model,
        tools,
        input: [
          user,
          ...references,
          { type: 'function_call_output', call_id: call.call_id, output: '31 degrees' },
        ],
      });
      expect(second.status).toBe('completed');
      for (const said of ['Rome', call.name, call.call_id, '31 degrees']) expect(asked()).toContain(said);
    });

    it('a response with store: false says so, and cannot be continued', async () => {
      const first = await client.responses.create({ model, input: 'hi', store: false });
      expect(first).toMatchObject({ store: false });
      await expect(
        client.responses.create({ model, previous_response_id: first.id, input: 'well?' }),
      ).rejects.toMatchObject({ status: 404, code: 'previous_response_not_found' });
      await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    });

    it('a stored request has no ignored fields', async () => {
      const { response } = await client.responses.create({ model, input: 'hi', store: true }).withResponse();
      expect(response.headers.get('x-gateway-ignored')).toBeNull();
    });

    it('a stored response is read, its items listed page by page, and deleted', async () => {
      const first = await client.responses.create({ model, input: 'one' });
      const second = await client.responses.create({
        model,
        previous_response_id: first.id,
        input: [{ type: 'message', role: 'user', content: 'two' }],
      });
      expect(await onOther.responses.retrieve(second.id)).toMatchObject({
        id: second.id,
        output: second.output,
        previous_response_id: first.id,
      });
      const all: unknown[] = [];
      for await (const item of onOther.responses.inputItems.list(second.id, { order: 'asc', limit: 1 }))
        all.push(item);
      expect(all).toMatchObject([
        { role: 'user', content: [{ type: 'input_text', text: 'one' }] },
        first.output[0],
        { role: 'user', content: 'two' },
      ]);
      const newest = await client.responses.inputItems.list(second.id, { limit: 2 });
      expect(newest).toMatchObject({ data: [{ content: 'two' }, {}], has_more: true });
      await expect(client.responses.cancel(second.id)).rejects.toMatchObject({ status: 400 });
      await expect(client.responses.retrieve(second.id, { stream: true })).rejects.toMatchObject({
        status: 400,
        param: 'stream',
      });

      await onOther.responses.delete(second.id);
      await expect(client.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
      await expect(client.responses.delete(second.id)).rejects.toMatchObject({ status: 404 });
      const [item] = second.output;
      await expect(
        client.responses.create({ model, input: [{ type: 'item_reference', id: item?.id ?? '' }] }),
      ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('item_reference') });
      expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id });
    });
  });

  it('Claude gets its signed reasoning back', async () => {
    const first = await client.responses.create({
      model: CLAUDE,
      reasoning: { effort: 'high', summary: 'auto' },
      input: 'Why is the sky blue?',
    });
    expect(first.output[0]).toMatchObject({ type: 'reasoning' });
    await onOther.responses.create({
      model: CLAUDE,
      reasoning: { effort: 'high' },
      previous_response_id: first.id,
      input: 'Really?',
    });
    expect(asked()).toContain('"signature":"');
  });

  it('a conversation continues with any other model, passed through or translated', async () => {
    const first = await client.responses.create({
      model: CLAUDE,
      reasoning: { effort: 'high', summary: 'auto' },
      input: 'My dog is Bello.',
    });
    for (const model of [...TRANSLATED, RESPONSES]) {
      const next = await client.responses.create({ model, previous_response_id: first.id, input: 'Who?' });
      expect(next).toMatchObject({ status: 'completed', model });
      expect(asked()).toContain('Bello');
      expect(asked()).toContain('Who?');
    }
    expect(gateway.provider.requests.at(-1)?.path).toBe('/v1/responses');
    expect(asked()).not.toContain('"reasoning"');
  });

  it("ids lead to the store that made them, the provider's or the gateway's", async () => {
    const passed = await client.responses.create({ model: RESPONSES, input: 'My dog is Bello.' });
    const before = gateway.provider.requests.length;
    expect(await onOther.responses.retrieve(passed.id)).toMatchObject({ id: passed.id });
    expect(gateway.provider.requests.length).toBe(before + 1);
    const kept = await client.responses.create({ model: CLAUDE, input: 'hi' });
    const asking = gateway.provider.requests.length;
    await onOther.responses.retrieve(kept.id);
    expect(gateway.provider.requests.length).toBe(asking);
  });

  it('another account finds nothing of a conversation', async () => {
    const first = await client.responses.create({ model: CLAUDE, input: 'a secret' });
    const { rawKey } = await gateway.createKey();
    const other = openAiOf(gateway, rawKey);
    const notFound = { status: 404 };
    await expect(other.responses.retrieve(first.id)).rejects.toMatchObject(notFound);
    await expect(other.responses.delete(first.id)).rejects.toMatchObject(notFound);
    await expect(other.responses.cancel(first.id)).rejects.toMatchObject(notFound);
    await expect(other.responses.inputItems.list(first.id)).rejects.toMatchObject(notFound);
    await expect(
      other.responses.create({ model: CLAUDE, previous_response_id: first.id, input: 'what was it?' }),
    ).rejects.toMatchObject({ ...notFound, code: 'previous_response_not_found' });
    const item = { type: 'item_reference' as const, id: first.output[0]?.id ?? '' };
    await expect(other.responses.create({ model: CLAUDE, input: [item] })).rejects.toMatchObject({
      status: 400,
    });
    expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id });
  });

  it('every key of an account finds its conversations', async () => {
    const { accountId, rawKey } = await gateway.createKey();
    const { rawKey: second } = await gateway.createKey(accountId);
    const ask = (apiKey: string) => openAiOf(gateway, apiKey);
    const { id } = await ask(rawKey).responses.create({ model: CLAUDE, input: 'hi' });
    expect(await ask(second).responses.retrieve(id)).toMatchObject({ id });
  });

  it('a conversation outlives its data plane', async () => {
    const plane = await gateway.startDataPlane();
    const { rawKey } = await gateway.createKey();
    const on = (port: number) =>
      new OpenAI({ apiKey: rawKey, baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
    const { id } = await on(plane.port).responses.create({ model: CLAUDE, input: 'My dog is Bello.' });
    await plane.close();
    const next = await gateway.startDataPlane();
    const answer: OpenAIResponse = await on(next.port).responses.create({
      model: CLAUDE,
      previous_response_id: id,
      input: 'Who?',
    });
    expect(answer.status).toBe('completed');
    expect(asked()).toContain('Bello');
  });

  it('a conversation is reserved and billed for its stored part, too', async () => {
    const { accountId, rawKey } = await payer.createKey();
    await addPool(payer.admin, { kind: 'account', id: accountId }, '0.05');
    const paying = openAiOf(payer, rawKey);
    const long = await paying.responses.create({ model: CLAUDE, input: 'So it goes. '.repeat(20_000) });
    const ask = (more: object = {}) =>
      paying.responses.create({
        model: 'sim/claude-pro',
        input: 'And then?',
        max_output_tokens: 32,
        ...more,
      });
    const alone = await ask();
    await expect(ask({ previous_response_id: long.id })).rejects.toMatchObject({
      status: 402,
      code: 'insufficient_balance',
    });
    await addPool(payer.admin, { kind: 'account', id: accountId }, '10');
    const whole = await ask({ previous_response_id: long.id });
    expect(whole.usage?.input_tokens).toBeGreaterThan(50 * (alone.usage?.input_tokens ?? 0));
  });

  it('reads of stored responses count against the limit of reads', async () => {
    const { rawKey } = await payer.createKey();
    const reader = openAiOf(payer, rawKey);
    const { id } = await reader.responses.create({ model: CLAUDE, input: 'hi' });
    const { response } = await reader.responses.retrieve(id).withResponse();
    const left = Number(response.headers.get('x-ratelimit-remaining-requests'));
    for (let turn = 0; turn < left; turn++) await reader.responses.inputItems.list(id);
    await expect(reader.responses.retrieve(id)).rejects.toMatchObject({ status: 429 });
    await expect(reader.responses.retrieve('resp_000000000000000000000000')).rejects.toMatchObject({
      status: 429,
    });
  });

  it('a stored tool without a price is refused for a paid model', async () => {
    const searching = { type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] };
    const asked = { role: 'user', content: 'What is new?' };
    const body = { model: CLAUDE, input: [searching, asked] };
    const first: OpenAIResponse = await client.post('/responses', { body });
    await expect(
      client.responses.create({
        model: 'sim/responses-pro',
        previous_response_id: first.id,
        input: 'And now?',
      }),
    ).rejects.toMatchObject({ status: 400, param: 'input[0].tools[0].type' });
  });

  it('a stored response is not read for a key that is known to be at its limit', async () => {
    const { rawKey } = await payer.createKey();
    const limited = openAiOf(payer, rawKey);
    const ask = (more = {}) =>
      limited.responses.create({ model: CLAUDE, input: 'hi', stream: false, ...more });
    const first = await ask();
    const { response } = await ask().withResponse();
    const left = Number(response.headers.get('x-ratelimit-remaining-requests'));
    for (let turn = 0; turn < left; turn++) await ask();
    const refused = { status: 429, code: 'rate_limit_exceeded' };
    await expect(ask()).rejects.toMatchObject(refused);
    const read = await counted(payer, 'read', 'found');
    await expect(ask({ previous_response_id: first.id })).rejects.toMatchObject(refused);
    expect(await counted(payer, 'read', 'found')).toBe(read);
  });

  it('long conversations are stored and expanded within the memory budget', async () => {
    const long = 'So it goes. '.repeat(100_000);
    const first = await client.responses.create({ model: CLAUDE, input: long });
    expect(first).toMatchObject({ store: true });
    await client.responses.create({ model: CLAUDE, previous_response_id: first.id, input: 'And then?' });
    expect(asked().length).toBeGreaterThan(1_200_000);
    const tooLong = await client.responses.create({ model: CLAUDE, input: long.repeat(4) });
    expect(tooLong).toMatchObject({ store: false });
    await expect(client.responses.retrieve(tooLong.id)).rejects.toMatchObject({ status: 404 });
  });
});

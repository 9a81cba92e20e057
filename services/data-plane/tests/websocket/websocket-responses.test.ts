import { envelopeOf, sendRaw, withGateway } from '@model-gateway/test-kit';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { describe, expect, it } from 'vitest';
import { allApis, EVERY_KIND, RESPONSES, TRANSLATED } from '../endpoints/all-apis.ts';
import { CHAT } from '../endpoints/both-apis.ts';
import { openSocket, refusedUpgrade, textOf } from './socket-client.ts';

const gateway = withGateway({ document: allApis });
const open = (headers?: Record<string, string>) => openSocket(gateway.baseUrl, gateway.rawKey, headers);
const bodies = () => gateway.provider.requests.map(({ bodyText }) => bodyText);

/** The paid model beside a free one. */
const paid = (model: string) => model.replace('-free', '-pro');

describe.each(EVERY_KIND)('a WebSocket to a model of %s', (_name, model) => {
  it('each response is a request of its own, with events as frames, a receipt and a line in the log', async () => {
    await using socket = await open();
    const ids: string[] = [];
    for (const word of ['first', 'second']) {
      gateway.provider.script({ content: `the ${word} answer` });
      socket.create({ model: paid(model), input: `Say the ${word} thing.`, store: false });
      const frames = await socket.response();
      expect(textOf(frames)).toBe(`the ${word} answer`);
      const [first, ...others] = frames;
      expect(first).toMatchObject({ type: 'response.created', headers: { 'x-gateway-model': paid(model) } });
      expect(others.every(({ headers }) => headers === undefined)).toBe(true);
      expect(frames.at(-1)).toMatchObject({ type: 'response.completed', response: { model: paid(model) } });
      ids.push(first?.headers?.['x-request-id'] ?? '');
    }
    for (const id of ids) {
      const receipt = await gateway.receiptOf({ headers: new Headers({ 'x-request-id': id }) });
      expect(receipt).toMatchObject({ request_id: id, model: paid(model), billing_reason: 'completed' });
      expect(Number(receipt.settled_usd)).toBeGreaterThan(0);
      expect(gateway.logLines(id, '"route":"/v1/responses"')).toHaveLength(1);
    }
    expect(new Set(ids).size).toBe(2);
  });

  it('a response continues the one before it, which nobody stores, with the whole conversation', async () => {
    await using socket = await open();
    gateway.provider.script({ content: 'blue as the sea' });
    const first = await socket.ask({ model, input: 'What is the sky?', store: false });
    gateway.provider.clear();
    gateway.provider.script({ content: 'because of the air' });
    const second = await socket.ask({
      model,
      input: [{ role: 'user', content: 'And why?' }],
      store: false,
      previous_response_id: first.response?.id,
    });
    expect(second.type).toBe('response.completed');
    const third = await socket.ask({
      model,
      input: 'Thanks.',
      store: false,
      previous_response_id: second.response?.id,
    });
    expect(third.type).toBe('response.completed');
    const [sent, last] = bodies();
    expect(sent).toMatch(/What is the sky\?.*blue as the sea.*And why\?/s);
    expect(last).toMatch(/What is the sky\?.*blue as the sea.*And why\?.*because of the air.*Thanks\./s);
    expect(`${sent}${last}`).not.toContain('previous_response_id');
  });

  it('a request that generates nothing asks no provider, costs nothing, and is continued', async () => {
    await using socket = await open();
    socket.create({ model: paid(model), generate: false, store: false, input: 'You are a poet.' });
    const frames = await socket.response();
    expect(frames.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ]);
    expect(frames.at(-1)?.response).toMatchObject({ model: paid(model), output: [], usage: null });
    expect(gateway.provider.requests).toEqual([]);
    const last = await socket.ask({
      model: paid(model),
      store: false,
      input: 'Write a line.',
      previous_response_id: frames.at(-1)?.response?.id,
    });
    expect(last.type).toBe('response.completed');
    expect(bodies()).toEqual([expect.stringMatching(/You are a poet\..*Write a line\./s)]);
  });
});

describe('the requests of a WebSocket', () => {
  it('run one after the other, and events carry the stream id of their request', async () => {
    await using socket = await open();
    gateway.provider.script(
      { content: 'one '.repeat(20), token_delay_ms: 5 },
      { content: 'two' },
      { content: 'three' },
    );
    socket.create({ model: CHAT, input: 'a', stream_id: 'main' });
    socket.create({ model: CHAT, input: 'b', stream_id: 'critic.2' });
    socket.create({ model: CHAT, input: 'c' });
    for (const [stream, text] of [
      ['main', 'one '.repeat(20)],
      ['critic.2', 'two'],
      [undefined, 'three'],
    ]) {
      const frames = await socket.response();
      expect(textOf(frames)).toBe(text);
      expect(new Set(frames.map(({ stream_id }) => stream_id))).toEqual(new Set([stream]));
    }
  });

  it('another stream id continues the response of one, as a fork', async () => {
    await using socket = await open();
    gateway.provider.script({ content: 'the root' });
    const root = await socket.ask({ model: CHAT, input: 'Begin.', store: false, stream_id: 'main' });
    const from = { model: CHAT, store: false, previous_response_id: root.response?.id };
    for (const stream_id of ['critic', 'main']) {
      const fork = await socket.ask({ ...from, input: `Go on as ${stream_id}.`, stream_id });
      expect(fork).toMatchObject({ type: 'response.completed', stream_id });
      expect(bodies().at(-1)).toMatch(/the root.*Go on/s);
    }
    // The stream has gone on, so nobody has its first response any more.
    expect(await socket.ask({ ...from, input: 'Again.' })).toMatchObject({
      type: 'error',
      error: { param: 'previous_response_id' },
    });
  });

  it("a response that the provider stores is continued by the provider's own id", async () => {
    await using socket = await open();
    const { response } = await socket.ask({ model: RESPONSES, input: 'Hi' });
    await socket.ask({ model: RESPONSES, input: 'Go on.', previous_response_id: response?.id });
    expect(gateway.provider.requests.at(-1)?.body).toMatchObject({
      input: 'Go on.',
      previous_response_id: expect.stringMatching(/^resp_/),
    });
  });

  it.each(TRANSLATED)('the response of another connection is unknown: %s', async (_name, model) => {
    await using one = await open();
    const { response } = await one.ask({ model, input: 'Hi', store: false });
    await using other = await open();
    const asked = { model, input: 'Go on.', store: false, previous_response_id: response?.id };
    expect(await other.ask(asked)).toMatchObject({
      type: 'error',
      error: { param: 'previous_response_id' },
    });
    expect((await one.ask(asked)).type).toBe('response.completed');
  });

  it('a large response, whose request a worker thread has parsed, is continued with the whole conversation', async () => {
    await using socket = await open();
    const { response } = await socket.ask({
      model: CHAT,
      input: `Begin ${'x'.repeat(1_000_000)} end.`,
      store: false,
    });
    const asked = { model: CHAT, input: 'Go on.', store: false, previous_response_id: response?.id };
    expect((await socket.ask(asked)).type).toBe('response.completed');
    expect(bodies().at(-1)).toMatch(/Begin x{1000000} end\..*Go on\./s);
  });

  it('a conversation that is too long to remember sends its client to a new connection', async () => {
    await using socket = await open();
    const image_url = `data:image/png;base64,${'A'.repeat(9 * 1024 * 1024)}`;
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url, detail: 'low' }] }];
    const { response } = await socket.ask({ model: RESPONSES, input, store: false });
    expect(response?.status).toBe('completed');
    const asked = { model: CHAT, input: 'Go on.', store: false, previous_response_id: response?.id };
    expect((await socket.ask(asked)).error?.code).toBe('websocket_connection_limit_reached');
    expect((await socket.closed).code).toBe(1000);
  });

  it('headers of the upgrade count for every request, but those for WebSocket reach no provider', async () => {
    await using socket = await open({
      'openai-beta': 'responses_websockets=2026-02-06,other=v1',
      'x-request-id': 'mine',
      'idempotency-key': 'once',
      'x-session-id': 'session-1',
    });
    socket.create({ model: RESPONSES, input: 'Hi' });
    const [first] = await socket.response();
    expect(first?.headers).toMatchObject({ 'x-client-request-id': 'mine' });
    const { headers } = gateway.provider.requests[0] ?? {};
    expect(headers?.['openai-beta']).toBe('other=v1');
    expect(Object.keys(headers ?? {}).join()).not.toMatch(/websocket|upgrade|idempotency/);
    await expect
      .poll(() => gateway.logLines(first?.headers?.['x-request-id'] ?? '', '"client_request_id":"mine"'))
      .toHaveLength(1);
  });

  it("OpenAI's own client holds a conversation", async () => {
    const client = new OpenAI({ baseURL: `${gateway.baseUrl}/v1`, apiKey: gateway.rawKey });
    const socket = new ResponsesWS(client);
    const turns = ['What is the sky?', 'And why?'];
    let previous: string | undefined;
    let text = '';
    const ask = () =>
      socket.send({
        type: 'response.create',
        model: CHAT,
        store: false,
        input: turns.shift() ?? '',
        ...(previous === undefined ? {} : { previous_response_id: previous }),
      });
    gateway.provider.script({ content: 'blue' }, { content: 'air' });
    for await (const event of socket) {
      if (event.type === 'open') ask();
      if (event.type === 'error') throw event.error;
      if (event.type !== 'message') continue;
      const { message } = event;
      if (message.type === 'response.output_text.delta') text += `${message.delta} `;
      if (message.type !== 'response.completed') continue;
      previous = message.response.id;
      if (turns.length === 0) break;
      ask();
    }
    socket.close();
    expect(text).toBe('blue air ');
    expect(bodies().at(-1)).toMatch(/What is the sky\?.*blue.*And why\?/s);
  });
});

describe('an upgrade to WebSocket', () => {
  it.each([
    ['no key', {}],
    ['a malformed key', { authorization: 'Bearer nonsense' }],
    ['an unknown key', { authorization: `Bearer gw_live_${'0'.repeat(49)}` }],
  ])('with %s gets 401 over HTTP', async (_name, headers) => {
    const refused = await refusedUpgrade(gateway.baseUrl, headers as Record<string, string>);
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect(refused.headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^req_/),
      connection: 'close',
    });
  });

  it('with broken headers gets 400 over HTTP', async () => {
    const refused = await sendRaw(
      Number(new URL(gateway.baseUrl).port),
      `GET /v1/responses HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Authorization: Bearer ${gateway.rawKey}\r\nSec-WebSocket-Version: 7\r\nSec-WebSocket-Key: x\r\n\r\n`,
    );
    expect([refused.status, refused.closed]).toEqual([400, true]);
    expect(envelopeOf(refused).code).toBe('invalid_request');
  });

  it('is a line in the log when the connection ends', async () => {
    const socket = await open({ 'x-request-id': 'a-connection' });
    await socket[Symbol.asyncDispose]();
    await expect
      .poll(() => gateway.logLines('a-connection', '/v1/responses (WebSocket)'))
      .toMatchObject([{ method: 'GET', status: 101, key_id: expect.any(String) }]);
  });
});

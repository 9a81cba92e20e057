import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { until, withStarted } from '@model-gateway/test-kit';
import { startOtlpReceiver } from '@model-gateway/test-kit/otlp-receiver';
import { describe, expect, inject, it } from 'vitest';
import { openSocket } from '../websocket/socket-client.ts';
import { caller, withTracedGateway } from './traced-gateway.ts';

const receiver = withStarted(startOtlpReceiver);
const redis = inject('redis');
const gateway = withTracedGateway(receiver, {}, redis ? { redisUrl: redis.url } : {});
const MODEL = 'sim/chat-free';
const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };
const PATH = '/v1/chat/completions';

const serversOf = (id: string) =>
  receiver.spans.filter(
    ({ kind, resource, traceId }) =>
      traceId === id && kind === 'SPAN_KIND_SERVER' && resource['service.name'] === 'data-plane',
  );

/** Waits for the server spans of a trace, and a little for one too many. */
async function exitsOf(traceId: string, count = 1) {
  await until(() => serversOf(traceId).length >= count);
  await wait(30);
  return serversOf(traceId).map(({ attributes, name, status }) => [
    name,
    attributes['http.response.status_code'],
    attributes['error.type'],
    status?.code === 'STATUS_CODE_ERROR',
  ]);
}

async function ask(path: string, body: object, more: Record<string, string> = {}, key = gateway.rawKey) {
  const { headers, traceId } = caller();
  await gateway.ask(path, body, { key, headers: { ...headers, ...more } });
  return exitsOf(traceId);
}

describe('each request ends one server span with the status that it got', () => {
  it.each([
    ['an unknown key', 'chat/completions', CHAT, 401, 'invalid_api_key'],
    ['an invalid body', 'chat/completions', { model: MODEL }, 400, 'invalid_request'],
    ['a count of tokens', 'messages/count_tokens', CHAT, 200, undefined],
    ['a count for Responses', 'responses/input_tokens', { model: MODEL, input: 'Hi' }, 200, undefined],
  ])('%s', async (name, path, body, status, error) => {
    const key = name === 'an unknown key' ? 'gw_live_nonsense' : gateway.rawKey;
    expect(await ask(path, body, {}, key)).toEqual([[`POST /v1/${path}`, status, error, false]]);
  });

  it('an unknown path, whose text is no name', async () => {
    expect(await ask('nothing-of-ours', {})).toEqual([['POST', 404, 'not_found', false]]);
  });

  it('an unusual method, which does not make another name', async () => {
    await fetch(gateway.baseUrl + PATH, { method: 'PROPFIND' });
    await until(() => receiver.spans.some(({ name }) => name === `HTTP ${PATH}`));
    const [span] = receiver.spans.filter(({ name }) => name === `HTTP ${PATH}`);
    expect(span?.attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
    });
  });

  it.skipIf(redis === undefined)('cached and repeated answers', async () => {
    const ok = [[`POST ${PATH}`, 200, undefined, false]];
    const cached = { 'x-gateway-cache': 'read, write' };
    const repeated = { 'idempotency-key': randomBytes(8).toString('hex') };
    for (const headers of [cached, cached, repeated, repeated])
      expect(await ask('chat/completions', { ...CHAT, model: 'sim/chat-pro' }, headers)).toEqual(ok);
    const hits = receiver.spans.filter(({ attributes }) => attributes['gateway.cache_hit'] === true);
    expect(hits).toHaveLength(1);
    const scripts = () => receiver.spans.filter(({ name }) => /^EVALSHA (claim|save|read)$/.test(name));
    await until(() => scripts().length === 5);
    for (const { attributes, parentSpanId } of scripts()) {
      expect(parentSpanId).toBeDefined();
      expect(attributes).toEqual({ 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' });
    }
  });

  it.each([
    ['before the response', false, 499],
    ['in the middle of a stream', true, 200],
  ])('a client that leaves %s', async (_when, stream, status) => {
    const { headers, traceId } = caller();
    gateway.provider.script({
      delay_ms: stream ? 0 : 5_000,
      content: 'word '.repeat(500),
      token_delay_ms: 10,
    });
    const sent = request(gateway.baseUrl + PATH, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${gateway.rawKey}`, 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined).end(JSON.stringify({ ...CHAT, stream }));
    if (stream) await once((await once(sent, 'response'))[0], 'data');
    else await gateway.provider.waitForRequest(() => true);
    sent.destroy();
    expect(await exitsOf(traceId)).toEqual([[`POST ${PATH}`, status, undefined, false]]);
  });

  it('a stream that breaks at the provider, an error in spite of its status', async () => {
    gateway.provider.script({ content: 'word '.repeat(50), reset: { after_events: 3 } });
    expect(await ask('chat/completions', { ...CHAT, stream: true })).toEqual([
      [`POST ${PATH}`, 200, 'upstream_error', true],
    ]);
  });

  it('requests over WebSocket, and their connection', async () => {
    const { headers, traceId } = caller();
    const socket = await openSocket(gateway.baseUrl, gateway.rawKey, headers);
    await socket.ask({ model: MODEL, input: 'Hi' });
    await socket.ask({ model: MODEL, input: 'Hi' });
    await socket[Symbol.asyncDispose]();
    expect(await exitsOf(traceId, 3)).toEqual([
      ['POST /v1/responses', 200, undefined, false],
      ['POST /v1/responses', 200, undefined, false],
      ['GET /v1/responses (WebSocket)', 101, undefined, false],
    ]);
  });
});

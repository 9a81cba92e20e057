import { sendRaw, startGatewayWithKey, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { readMessageStream } from '../../../../packages/dialects/tests/messages-grammar.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { messagesBody, sendMessages } from './messages-requests.ts';

const gateway = withGateway({
  overrides: withoutBreakers(),
});

const send = (more: object = {}, headers: Record<string, string> = {}) =>
  sendMessages(gateway, gateway.rawKey, more, headers);

describe('Messages with a provider of Chat Completions', () => {
  it('a message has the usage that its receipt has', async () => {
    gateway.provider.script({ content: 'Paris.', cached_tokens: 3 });
    const { status, headers, text } = await send({
      model: 'sim/chat-pro',
      top_k: 5,
      metadata: { user_id: 'u' },
    });
    expect(status, text).toBe(200);
    const message = JSON.parse(text);
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'sim/chat-pro',
      content: [{ type: 'text', text: 'Paris.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { cache_creation_input_tokens: 0, cache_read_input_tokens: 3 },
    });
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    expect(headers.get('x-gateway-ignored')).toBe('metadata, top_k');
    expect(headers.get('x-gateway-model')).toBe('sim/chat-pro');
    expect(Number(headers.get('x-gateway-overhead-ms'))).toBeGreaterThanOrEqual(0);
    const { units, model } = await gateway.receiptOf({ headers });
    expect(model).toBe('sim/chat-pro');
    expect(units).toMatchObject({
      input_tokens: message.usage.input_tokens + 3,
      cached_input_tokens: 3,
      output_tokens: message.usage.output_tokens,
    });
    expect(gateway.provider.requests[0]?.body).toEqual({
      model: 'sim-chat-pro',
      messages: [{ role: 'user', content: 'hello' }],
      max_completion_tokens: 64,
    });
  });

  it("a stream starts with estimated usage and ends with the provider's, which is billed", async () => {
    gateway.provider.script({ content: 'word '.repeat(5) });
    const { headers, text } = await send({
      ...{ model: 'sim/chat-pro', stream: true },
      system: 'word '.repeat(800),
    });
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('request-id')).toMatch(/^req_/);
    const { isComplete, startUsage, usage } = readMessageStream(text);
    expect(isComplete).toBe(true);
    expect(startUsage?.input_tokens).toBeGreaterThan(900);
    expect(usage?.input_tokens).not.toBe(startUsage?.input_tokens);
    const { units } = await gateway.receiptOf({ headers });
    expect(units).toMatchObject({ input_tokens: usage?.input_tokens, output_tokens: usage?.output_tokens });
  });
});

const errorOf = (text: string) => JSON.parse(text);

describe("an error in Anthropic's form", () => {
  const invalid = 'invalid_request_error';
  const otherKey = () => gateway.rawKey.slice(0, -1) + (gateway.rawKey.endsWith('x') ? 'y' : 'x');
  it.each<[string, () => ReturnType<typeof send>, number, string, string]>([
    ['no key', () => sendMessages(gateway, undefined), 401, 'authentication_error', 'invalid_api_key'],
    [
      'two different keys',
      () => send({}, { authorization: `Bearer ${otherKey()}` }),
      ...([401, 'authentication_error', 'invalid_api_key'] as const),
    ],
    ['an unknown model', () => send({ model: 'sim/none' }), 404, 'not_found_error', 'model_not_found'],
    ['no max_tokens', () => send({ max_tokens: undefined }), 400, invalid, 'invalid_request'],
    ['a negative max_tokens', () => send({ max_tokens: -1 }), 400, invalid, 'invalid_request'],
    ['a wrong endpoint', () => send({ model: 'sim/embed-free' }), 400, invalid, 'wrong_endpoint'],
    [
      'a field that cannot be expressed',
      () => send({ mcp_servers: [{ type: 'url', url: 'https://example.com' }] }),
      ...([400, invalid, 'invalid_request'] as const),
    ],
    [
      'a body that is too large',
      () => send({ x: 'x'.repeat(21_000_000) }),
      ...([413, 'request_too_large', 'request_too_large'] as const),
    ],
    [
      'a wrong media type',
      () => send({}, { 'content-type': 'text/plain' }),
      ...([415, invalid, 'unsupported_media_type'] as const),
    ],
  ])("%s gets an error in Anthropic's form", async (_what, ask, status, type, code) => {
    const answer = await ask();
    expect(answer.status, answer.text).toBe(status);
    const id = answer.headers.get('request-id');
    expect(errorOf(answer.text)).toMatchObject({
      type: 'error',
      error: { type, code, message: expect.any(String) },
      request_id: id,
    });
    expect(id).toBe(answer.headers.get('x-request-id'));
  });

  it.each<[number, number, string, string]>([
    [400, 400, 'invalid_request_error', 'upstream_rejected'],
    [429, 429, 'rate_limit_error', 'upstream_rate_limited'],
    [401, 502, 'api_error', 'upstream_error'],
    [500, 502, 'api_error', 'upstream_error'],
    [529, 502, 'api_error', 'upstream_error'],
  ])(
    "status %i of a provider of another API gets an error in Anthropic's form",
    async (providers, status, type, code) => {
      for (const stream of [false, true]) {
        gateway.provider.clear();
        gateway.provider.script({ status: providers }, { status: providers });
        const answer = await send({ stream });
        expect(answer.status, answer.text).toBe(status);
        expect(errorOf(answer.text)).toMatchObject({ type: 'error', error: { type, code } });
      }
    },
  );

  it('the error names the field that the model cannot be asked for', async () => {
    const { text } = await send({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] });
    expect(errorOf(text).error).toMatchObject({ param: 'tools[0].type' });
    expect(errorOf(text).error.message).toContain('sim/chat-free');
  });

  it.each<[string, string, string, number, string]>([
    ['another method', 'GET', '/v1/messages', 405, 'method_not_allowed'],
    ['another method, with the beta', 'DELETE', '/v1/messages?beta=true', 405, 'method_not_allowed'],
    ['a path below that is none', 'POST', '/v1/messages/batches', 404, 'not_found'],
    ['a slash too many', 'POST', '/v1/messages/', 404, 'not_found'],
    ['TRACE', 'TRACE', '/v1/messages', 405, 'method_not_allowed'],
  ])("%s gets an error in Anthropic's form before any route", async (_what, method, path, status, code) => {
    const port = Number(new URL(gateway.baseUrl).port);
    const answer = await sendRaw(port, `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`);
    expect(answer.status).toBe(status);
    expect(errorOf(answer.body)).toMatchObject({ type: 'error', error: { code } });
    expect(answer.headers['request-id']).toBe(answer.headers['x-request-id']);
  });

  it("broken framing gets an error in Anthropic's form", async () => {
    const port = Number(new URL(gateway.baseUrl).port);
    const lines = ['POST /v1/messages HTTP/1.1', 'host: a', 'host: b', 'content-length: 0', '', ''];
    const answer = await sendRaw(port, lines.join('\r\n'));
    expect(answer.status).toBe(400);
    expect(errorOf(answer.body)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(answer.headers['request-id']).toMatch(/^req_/);
  });

  it("other routes have OpenAI's form", async () => {
    const answer = await fetch(`${gateway.baseUrl}/v1/messagesx`, { method: 'POST' });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param: null } });
    expect(answer.headers.has('request-id')).toBe(false);
  });
});

describe('the key of a caller of Messages', () => {
  it.each<[string, () => Record<string, string>]>([
    ['x-api-key', () => ({ 'x-api-key': gateway.rawKey })],
    ['a bearer', () => ({ authorization: `Bearer ${gateway.rawKey}` })],
    [
      'both, which are the same',
      () => ({ 'x-api-key': gateway.rawKey, authorization: `Bearer ${gateway.rawKey}` }),
    ],
  ])('the key may come as %s', async (_how, headers) => {
    const answer = await sendMessages(gateway, undefined, {}, headers());
    expect(answer.status, answer.text).toBe(200);
  });

  it('other routes do not read x-api-key', async () => {
    const answer = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.rawKey, 'content-type': 'application/json' },
      body: messagesBody(),
    });
    expect(answer.status).toBe(401);
  });
});

it('a stream sends pings while its provider is silent', async () => {
  await using soon = await startGatewayWithKey({ overrides: { streamTimings: { keepAliveMs: 200 } } });
  soon.provider.script({ content: 'late', delay_ms: 1_000 });
  const { text } = await sendMessages(soon, soon.rawKey, { stream: true });
  expect(text).toMatch(/^event: ping\ndata: /);
  expect(readMessageStream(text)).toMatchObject({ blocks: [{ text: 'late' }], isComplete: true });
});

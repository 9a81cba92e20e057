import { envelopeOf, sendRaw, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { bothApis, CHAT, CLAUDE } from '../endpoints/both-apis.ts';
import { JSON_ROUTES, type JsonRoute, NO_PLAIN_JSON, validBody, WRONG_SHAPES } from './hostile-json.ts';

const gateway = withGateway({ document: bothApis });

function send(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  path = '/v1/chat/completions',
) {
  return gateway.ask(path, body, { headers });
}

const messages = '"messages":[{"role":"user","content":"hello"}]';

describe('a body that is not plain JSON', () => {
  describe.each(JSON_ROUTES)('POST $path', (route) => {
    it.each(Object.keys(NO_PLAIN_JSON))('a body with %s gets 400 and is never forwarded', async (name) => {
      const answer = await send(NO_PLAIN_JSON[name]?.(route) ?? '', {}, route.path);
      expect(answer.status, answer.body).toBe(400);
      expect(envelopeOf(answer)).toMatchObject({ type: 'invalid_request_error', code: 'invalid_json' });
      expect(gateway.provider.requests).toEqual([]);
      expect({}).not.toHaveProperty('polluted');
    });
  });

  it.each(WRONG_SHAPES)('POST %s names the path of its mistake: %s', async (path, _name, body, param) => {
    const answer = await send(body, {}, path);
    expect(answer.status, answer.body).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({
      code: 'invalid_request',
      ...(param === null ? {} : { param }),
    });
    expect(gateway.provider.requests).toEqual([]);
  });

  it('a body with 60,000 keys takes bounded time, integer-like keys included', async () => {
    const keys = (name: (index: number) => string) =>
      Array.from({ length: 60_000 }, (_, index) => `"${name(index)}":1`).join(',');
    for (const body of [keys((index) => `key${index}`), keys((index) => String(index * 65_537))]) {
      const json = `{"model":"sim/chat-free",${messages},${body}}`;
      const parsedAtMs = performance.now();
      JSON.parse(json);
      const startedAtMs = performance.now();
      expect((await send(json)).status).toBe(200);
      // The other APIs refuse or ignore such members, and take no longer.
      const translated = await send(json.replace('{', '{"max_tokens":16,'), {}, '/v1/messages');
      expect([200, 400]).toContain(translated.status);
      const response = await send(json.replace('"messages"', '"input"'), {}, '/v1/responses');
      expect([200, 400]).toContain(response.status);
      // On a machine that is that slow; and some seconds for the thread that large bodies need, and for the
      // provider.
      const parseMs = startedAtMs - parsedAtMs;
      expect(performance.now() - startedAtMs).toBeLessThan(40_000 + 100 * parseMs);
    }
  });
});

describe.each(JSON_ROUTES)('media types of POST $path', (route: JsonRoute) => {
  it.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/x-www-form-urlencoded' }],
    [{ 'content-type': 'application/json; charset=latin1' }],
    [{ 'content-type': 'application/json; charset=utf-16' }],
    [{ 'content-type': 'application/json; charset =latin1' }],
    [{ 'content-encoding': 'gzip' }],
    [{ 'content-encoding': 'identity' }],
  ])('a request with %j gets 415', async (headers) => {
    const answer = await send(validBody(route), headers, route.path);
    expect(answer.status).toBe(415);
    expect(envelopeOf(answer)).toMatchObject({
      type: 'invalid_request_error',
      code: 'unsupported_media_type',
    });
  });

  it('a media type may name UTF-8', async () => {
    const headers = { 'content-type': 'Application/JSON; Charset="UTF-8"' };
    const answer = await send(validBody(route), headers, route.path);
    expect(answer.status, answer.body).toBe(200);
  });
});

describe('the size of a body', () => {
  const big = 21 * 1024 * 1024;

  it('a body over the maximum gets 413, announced or not, and the client can read the response', async () => {
    const announced = await send('x'.repeat(big));
    expect(announced.status).toBe(413);
    expect(envelopeOf(announced).code).toBe('request_too_large');
    const chunks = ReadableStream.from(Array.from({ length: 21 }, () => new Uint8Array(1024 * 1024)));
    const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.rawKey}`, 'content-type': 'application/json' },
      body: chunks,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });

  it('a body that announces more than the maximum gets 413 at every route before it is sent', async () => {
    const port = Number(new URL(gateway.baseUrl).port);
    // At once: the server waits for a client that goes on sending.
    const answers = await Promise.all(
      JSON_ROUTES.map(({ path }) =>
        sendRaw(
          port,
          `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${gateway.rawKey}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${2 * big}\r\n\r\n`,
        ),
      ),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(413);
      expect(envelopeOf(answer).code).toBe('request_too_large');
    }
  });

  it('checks run in the order 401, 415, 413, 400, 404, wrong endpoint', async () => {
    const wrong = { authorization: 'Bearer nonsense', 'content-type': 'text/plain' };
    expect((await send('x'.repeat(big), wrong)).status).toBe(401);
    expect((await send('x'.repeat(big), { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('x'.repeat(big))).status).toBe(413);
    expect((await send('{"model":"no/model"}')).status).toBe(400);
    expect(envelopeOf(await send(`{"model":"no/model",${messages}}`))).toMatchObject({
      code: 'model_not_found',
      param: 'model',
    });
    const other = await send(`{"model":"sim/embed-free",${messages}}`);
    expect(other.status).toBe(400);
    expect(envelopeOf(other)).toMatchObject({ code: 'wrong_endpoint', param: 'model' });
    expect(gateway.provider.requests).toEqual([]);
  });
});

it.each([
  ['/v1/chat/completions', CHAT],
  ['/v1/chat/completions', CLAUDE],
  ['/v1/messages', CHAT],
  ['/v1/messages', CLAUDE],
  ['/v1/responses', CHAT],
  ['/v1/responses', CLAUDE],
])('the gateway never fetches a URL in a body: POST %s, %s', async (path, model) => {
  const url = new URL('/fetched-by-gateway', gateway.provider.baseUrl).href;
  const answer = await send(JSON.stringify({ model, ...withPicture(path, url) }), {}, path);
  // Anthropic takes no address without TLS, and says so.
  expect([200, 400], answer.body).toContain(answer.status);
  const paths = gateway.provider.requests.map((request) => request.path);
  expect(['/v1/chat/completions', '/v1/messages']).toEqual(expect.arrayContaining(paths));
  expect(paths).toHaveLength(1);
});

function withPicture(path: string, url: string): object {
  if (path.endsWith('responses')) {
    const content = [
      { type: 'input_text', text: 'hi' },
      { type: 'input_image', image_url: url },
    ];
    return { max_output_tokens: 16, input: [{ role: 'user', content }] };
  }
  const picture = path.endsWith('messages')
    ? { type: 'image', source: { type: 'url', url } }
    : { type: 'image_url', image_url: { url } };
  return { max_tokens: 16, messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, picture] }] };
}

import { envelopeOf, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let gateway: TestGateway;
let rawKey: string;

beforeAll(async () => {
  gateway = await startGateway();
  ({ rawKey } = await gateway.createKey());
});
afterAll(() => gateway.close());
beforeEach(() => gateway.provider.clear());

async function send(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const messages = '"messages":[{"role":"user","content":"hello"}]';
const valid = `{"model":"sim/chat-free",${messages}}`;

describe('a body that is not plain JSON is answered 400 and never forwarded', () => {
  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['100k nested arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    [
      'nesting inside a field',
      `{"model":"sim/chat-free",${messages},"x":${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}}`,
    ],
    ['__proto__', `{"__proto__":{"polluted":1},"model":"sim/chat-free",${messages}}`],
    ['nested __proto__', `{"model":"sim/chat-free",${messages},"tools":[{"__proto__":{"polluted":1}}]}`],
    [
      'constructor.prototype',
      `{"constructor":{"prototype":{"polluted":1}},"model":"sim/chat-free",${messages}}`,
    ],
    ['duplicate keys', `{"model":"sim/chat-free","model":"sim/chat-pro",${messages}}`],
    ['duplicate keys, one escaped', `{"model":"sim/chat-free","mo\\u0064el":"sim/chat-pro",${messages}}`],
    [
      'invalid UTF-8',
      Buffer.concat([
        Buffer.from(valid.slice(0, -3)),
        Buffer.from([0xff, 0xfe]),
        Buffer.from(valid.slice(-3)),
      ]),
    ],
    ['a byte order mark', `\ufeff${valid}`],
    ['UTF-16', Buffer.from(valid, 'utf16le')],
    ['a lone surrogate', `{"model":"sim/chat-free","messages":[{"role":"user","content":"\\ud83d"}]}`],
    ['trailing JSON', `${valid}{}`],
    ['NaN', `{"model":"sim/chat-free",${messages},"temperature":NaN}`],
    ['a comment', `{"model":"sim/chat-free",/* hi */${messages}}`],
    ['a number out of range', `{"model":"sim/chat-free",${messages},"max_tokens":1e400}`],
    ['an empty body', ''],
    ['an unfinished string', '{"model":"sim'],
  ])('%s', async (_name, body) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({ type: 'invalid_request_error', code: 'invalid_json' });
    expect(gateway.provider.requests).toEqual([]);
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    ['null', 'null', null],
    ['a number', '1', null],
    ['an array', '[]', null],
    ['no model', `{${messages}}`, 'model'],
    ['no messages', '{"model":"sim/chat-free"}', 'messages'],
    ['empty messages', '{"model":"sim/chat-free","messages":[]}', 'messages'],
    [
      'a message without a role',
      '{"model":"sim/chat-free","messages":[{"content":"x"}]}',
      'messages[0].role',
    ],
    [
      'content of a wrong type',
      '{"model":"sim/chat-free","messages":[{"role":"user","content":5}]}',
      'messages[0].content',
    ],
    [
      'no content without tool calls',
      '{"model":"sim/chat-free","messages":[{"role":"user"}]}',
      'messages[0].content',
    ],
    ['max_tokens -1', `{"model":"sim/chat-free",${messages},"max_tokens":-1}`, 'max_tokens'],
    ['max_tokens 1.5', `{"model":"sim/chat-free",${messages},"max_tokens":1.5}`, 'max_tokens'],
    ['max_tokens "9"', `{"model":"sim/chat-free",${messages},"max_tokens":"9"}`, 'max_tokens'],
    ['stream "yes"', `{"model":"sim/chat-free",${messages},"stream":"yes"}`, 'stream'],
  ])('%s is named by its path', async (_name, body, param) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({ code: 'invalid_request', param });
    expect(gateway.provider.requests).toEqual([]);
  });

  it('60,000 keys, and integer-like ones, take bounded time', async () => {
    const keys = (name: (index: number) => string) =>
      Array.from({ length: 60_000 }, (_, index) => `"${name(index)}":1`).join(',');
    for (const body of [keys((index) => `key${index}`), keys((index) => String(index * 65_537))]) {
      const json = `{"model":"sim/chat-free",${messages},${body}}`;
      const parsedAtMs = performance.now();
      JSON.parse(json);
      const startedAtMs = performance.now();
      expect((await send(json)).status).toBe(200);
      // On a machine that is that slow; and some seconds for the thread that large bodies need, and for the
      // provider.
      const parseMs = startedAtMs - parsedAtMs;
      expect(performance.now() - startedAtMs).toBeLessThan(20_000 + 50 * parseMs);
    }
  });
});

describe('media types', () => {
  it.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/x-www-form-urlencoded' }],
    [{ 'content-type': 'application/json; charset=latin1' }],
    [{ 'content-type': 'application/json; charset=utf-16' }],
    [{ 'content-type': 'application/json; charset =latin1' }],
    [{ 'content-encoding': 'gzip' }],
    [{ 'content-encoding': 'identity' }],
  ])('%j is answered 415', async (headers) => {
    const answer = await send(valid, headers);
    expect(answer.status).toBe(415);
    expect(envelopeOf(answer)).toMatchObject({
      type: 'invalid_request_error',
      code: 'unsupported_media_type',
    });
  });

  it('UTF-8 may be named', async () => {
    expect((await send(valid, { 'content-type': 'Application/JSON; Charset="UTF-8"' })).status).toBe(200);
  });
});

describe('size', () => {
  const big = 21 * 1024 * 1024;

  it('over the cap is 413, whether it is announced or not, and the client can read the answer', async () => {
    const announced = await send('x'.repeat(big));
    expect(announced.status).toBe(413);
    expect(envelopeOf(announced).code).toBe('request_too_large');
    const chunks = ReadableStream.from(Array.from({ length: 21 }, () => new Uint8Array(1024 * 1024)));
    const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: chunks,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });

  it('the order of checks is 401, 415, 413, 400, 404, wrong endpoint', async () => {
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

it('URLs inside a body are never fetched by the gateway', async () => {
  const url = new URL('/fetched-by-gateway', gateway.provider.baseUrl).href;
  const answer = await send(
    JSON.stringify({
      model: 'sim/chat-free',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    }),
  );
  expect(answer.status).toBe(200);
  expect(gateway.provider.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
});

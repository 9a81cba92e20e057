import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { envelopeOf, readAnswer, sendRaw, watchLag, withGateway } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { bothApis, CHAT, CLAUDE } from '../endpoints/both-apis.ts';

let port: number;

const gateway = withGateway({ document: bothApis });
beforeAll(async () => {
  port = Number(new URL(gateway.baseUrl).port);
});

/** The routes of chat, each with a body that it serves. */
const MESSAGES = '"messages":[{"role":"user","content":"hello"}]';
const CHATS: readonly [path: string, body: string][] = [
  ['/v1/chat/completions', `{"model":"${CHAT}",${MESSAGES}}`],
  ['/v1/messages', `{"model":"${CLAUDE}","max_tokens":16,${MESSAGES}}`],
  ['/v1/messages/count_tokens', `{"model":"${CLAUDE}",${MESSAGES}}`],
  ['/v1/responses', `{"model":"${CHAT}","input":"hello"}`],
];
const requestLine = (path: string) => `POST ${path} HTTP/1.1\r\n`;
const post = requestLine('/v1/chat/completions');

describe('broken HTTP framing', () => {
  it.each([
    ...CHATS.map(([path]) => requestLine(path)).flatMap((line): [string, string][] => [
      [
        'Content-Length with Transfer-Encoding',
        `${line}Host: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ],
      ['two lengths', `${line}Host: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc`],
      ['a list of lengths', `${line}Host: a\r\nContent-Length: 3, 3\r\n\r\nabc`],
      ['a signed length', `${line}Host: a\r\nContent-Length: +3\r\n\r\nabc`],
      ['another transfer coding', `${line}Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
      ['an unknown transfer coding', `${line}Host: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ]),
    ['an obsolete line fold', 'GET /health HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n'],
    ['a bare LF', 'GET /health HTTP/1.1\nHost: a\n\n'],
    ['a bare LF after a header', 'GET /health HTTP/1.1\r\nHost: a\nX: y\r\n\r\n'],
    ['a bare CR', 'GET /health HTTP/1.1\r\nHost: a\rX: y\r\n\r\n'],
    ['NUL in a header', 'GET /health HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n'],
    ['a space before the colon', 'GET /health HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n'],
    ['an empty Host', 'GET /health HTTP/1.1\r\nHost:\r\n\r\n'],
    ['two Hosts', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['HTTP/0.9', 'GET /health\r\n\r\n'],
    ['HTTP/1.2', 'GET /health HTTP/1.2\r\nHost: a\r\n\r\n'],
    ['HTTP/2.0', 'GET /health HTTP/2.0\r\nHost: a\r\n\r\n'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an invented method', 'FROB /health HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'a transfer coding in HTTP/1.0',
      'POST /v1/chat/completions HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['something that is no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s gets 400 in the error envelope, and the connection ends', async (_name, bytes) => {
    const answer = await sendRaw(port, Buffer.from(bytes, 'latin1'));
    expect(answer.status).toBe(400);
    const { code, param = null, type } = envelopeOf(answer);
    expect({ code, param, type }).toEqual({
      code: 'invalid_request',
      param: null,
      type: 'invalid_request_error',
    });
    expect(answer.body).toContain(`"request_id":"${answer.headers['x-request-id']}"`);
    expect(answer.closed).toBe(true);
  });

  it.each(CHATS)('a bad chunk size gets 400, before and inside a body: POST %s', async (path) => {
    const { rawKey } = await gateway.createKey();
    const head = `${requestLine(path)}Host: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    for (const body of ['zz\r\nabc\r\n0\r\n\r\n', '3\r\nabc\r\n-1\r\n\r\n', '3\nabc\n0\n\n']) {
      const answer = await sendRaw(port, head + body);
      expect(answer.status).toBe(400);
      expect(envelopeOf(answer).type).toBe('invalid_request_error');
      expect(answer.closed).toBe(true);
    }
    expect(gateway.provider.requests).toEqual([]);
  });
});

describe('sizes and times of the request head', () => {
  it('a huge header block and a huge URI get 431', async () => {
    for (const bytes of [
      `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
      `GET /health HTTP/1.1\r\nHost: a\r\n${'X-Header: value\r\n'.repeat(5_000)}\r\n`,
      `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ]) {
      const answer = await sendRaw(port, bytes);
      expect(answer.status).toBe(431);
      expect(envelopeOf(answer).code).toBe('headers_too_large');
    }
  });

  it('many small headers within the bound are served', async () => {
    const answer = await sendRaw(port, `GET /health HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(3_000)}\r\n`);
    expect(answer.status).toBe(200);
  });

  it('a head that arrives a byte a second, and a body that stops, get 408', async () => {
    const { rawKey } = await gateway.createKey();
    const slow = connect(port, '127.0.0.1');
    const slowAnswer = readAnswer(slow);
    const dripping = new AbortController();
    const drip = (async () => {
      for (const byte of `GET /health HTTP/1.1\r\nX: ${'y'.repeat(100)}`) {
        if (!slow.writable || dripping.signal.aborted) return;
        slow.write(byte);
        await wait(1_000, undefined, { signal: dripping.signal }).catch(() => undefined);
      }
    })();
    const short = CHATS.map(([path]) =>
      sendRaw(
        port,
        `${requestLine(path)}Host: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":1`,
      ),
    );
    using lag = watchLag();
    const started = performance.now();
    for (const answer of await Promise.all([slowAnswer, ...short])) {
      expect(answer.status).toBe(408);
      expect(envelopeOf(answer).code).toBe('request_timeout');
    }
    expect(performance.now() - started).toBeLessThan(30_000 + lag.allowanceMs());
    dripping.abort();
    slow.destroy();
    await drip;
  });

  it.each(CHATS)(
    'a client that sends less to POST %s than it announced, and leaves, harms nobody',
    async (path) => {
      const { rawKey } = await gateway.createKey();
      const head = `${requestLine(path)}Host: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
      const answer = await sendRaw(port, head, 'end');
      expect(answer.status).toBe(400);
      const next = await fetch(`${gateway.baseUrl}/health`);
      expect(next.status).toBe(200);
    },
  );
});

describe('headers', () => {
  it('an unknown Expect gets 417, and 100-continue is served', async () => {
    const unknown = await sendRaw(port, `${post}Host: a\r\nExpect: foo\r\nContent-Length: 2\r\n\r\n{}`);
    expect(unknown.status).toBe(417);
    expect(envelopeOf(unknown).code).toBe('expectation_failed');

    const withoutKey = await sendRaw(
      port,
      `${post}Host: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    );
    expect(withoutKey.status).toBe(401);

    const { rawKey } = await gateway.createKey();
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `${post}Host: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    );
    const [first] = await new Promise<[Buffer]>((resolve) =>
      socket.once('data', (chunk) => resolve([chunk])),
    );
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const answer = readAnswer(socket);
    socket.write('{}');
    expect((await answer).status).toBe(400);
    socket.destroy();
  });

  it('TRACE and CONNECT get 405', async () => {
    for (const bytes of [
      'TRACE /v1/chat/completions HTTP/1.1\r\nHost: a\r\n\r\n',
      'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
    ]) {
      const answer = await sendRaw(port, bytes);
      expect(answer.status).toBe(405);
      expect(envelopeOf(answer).code).toBe('method_not_allowed');
      expect(answer.headers.allow).toBeDefined();
    }
  });

  it('a __proto__ header changes nothing', async () => {
    const answer = await sendRaw(
      port,
      'GET /health HTTP/1.1\r\nHost: a\r\n__proto__: polluted\r\nconstructor: x\r\n\r\n',
    );
    expect(answer.status).toBe(200);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it.each(
    CHATS.flatMap(([path, body]) => [
      [path, body, 'Authorization', 'Bearer '] as const,
      ...(path.startsWith('/v1/messages') ? [[path, body, 'X-Api-Key', ''] as const] : []),
    ]),
  )(
    'the key of POST %s (%s) does not reach the provider through Connection: %s',
    async (path, body, name, scheme) => {
      const { rawKey } = await gateway.createKey();
      gateway.provider.clear();
      const answer = await sendRaw(
        port,
        `${requestLine(path)}Host: a\r\nConnection: ${name}\r\n${name}: ${scheme}${rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      expect(answer.status).toBe(200);
      expect(JSON.stringify(gateway.provider.requests)).not.toContain(rawKey);
    },
  );
});

describe('paths that are no route', () => {
  it.each([
    '/v1/../admin',
    '/v1/%2e%2e/admin',
    '/v1/..%2fadmin',
    '//evil',
    '//evil/v1/models',
    'http://evil/v1/models',
    '/v1/models%00',
    '/v1/%zz',
    '/V1/models',
    '/v1/Models',
    '/v1/models;param',
    '/v1/chat/completions;x',
    '/v1/messages;x',
    '/v1/messages/',
    '/v1/messages/..',
    '/V1/messages',
    '/v1/messages/batches',
    '/v1/messages/count_tokens/',
    '/v1/messages%2fcount_tokens',
    '/v1//messages',
    '/v1/responses;x',
    '/v1/responses/',
    '/v1/responses/..',
    '/V1/responses',
    '/v1//responses',
    '/v1/models/',
    '/health/',
    '/admin',
    '/',
    '*',
    '/v1\\models',
    '/__proto__',
    '/v1/chat/completions/..',
  ])('%s gets 404 and is forwarded to nobody', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await sendRaw(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect(answer.status).toBe(404);
      const ofMessages = /^\/v1\/messages(\/|$)/.test(path);
      const type = ofMessages ? 'not_found_error' : 'invalid_request_error';
      expect(envelopeOf(answer)).toMatchObject({ type, code: 'not_found' });
    }
    expect(gateway.provider.requests).toEqual([]);
  });

  it('a known path with another method gets 405 with the right one, also without a key', async () => {
    for (const [method, path, allow] of [
      ['GET', '/v1/chat/completions', 'POST'],
      ['GET', '/v1/messages', 'POST'],
      ['PUT', '/v1/messages/count_tokens', 'POST'],
      ['GET', '/v1/responses', 'POST'],
      ['DELETE', '/v1/models', 'GET, HEAD'],
      ['OPTIONS', '/v1/models/a/b', 'GET, HEAD'],
      ['POST', '/health', 'GET, HEAD'],
      ['PATCH', '/v1/status', 'GET, HEAD'],
      ['HEAD', '/v1/chat/completions', 'POST'],
    ]) {
      const answer = await fetch(`${gateway.baseUrl}${path}`, { method: method ?? '' });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe(allow);
    }
  });
});

import { createServer, type RequestListener, type Server } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';
import { afterEach, expect, it } from 'vitest';
import { answerObserver, sendRaw } from '../src/index.ts';

let server: Server | undefined;

/** Starts a server whose answers are compared with the document, like those of a gateway. */
async function serve(listener: RequestListener): Promise<{ port: number; url: string }> {
  server = createServer(listener);
  const port = await listen(server, 0, '127.0.0.1');
  answerObserver.watch(port);
  return { port, url: `http://127.0.0.1:${port}` };
}
afterEach(() => server && closeServer(server, 0));

const HEADERS = { 'x-request-id': `req_${'a'.repeat(24)}` };
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' };
const health = { status: 'ok', service: 'x', version: '1', uptime_seconds: 1 };
const chunk = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'acme/small',
  choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
};

/** Returns a listener that answers with this body and these headers. */
const answering =
  (body: unknown, headers: Record<string, string> = JSON_HEADERS): RequestListener =>
  (_req, res) => {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    res.write(JSON.stringify(body).slice(0, 5));
    res.end(JSON.stringify(body).slice(5));
  };

it('a documented response is not reported, and its kind is listed as seen', async () => {
  const { url } = await serve(answering(health));
  await (await fetch(`${url}/health?x=1`)).text();
  answerObserver.assertDocumented();
  expect(answerObserver.seen).toContain('GET /health 200 application/json');
});

it.each([
  ['an unknown field', '/health', { ...health, surprise: 1 }, JSON_HEADERS, 'additional properties'],
  ['a field that is missing', '/health', { status: 'ok' }, JSON_HEADERS, 'required'],
  ['no request id', '/health', health, { 'content-type': 'application/json' }, 'x-request-id is missing'],
  [
    'a strange request id',
    '/health',
    health,
    { ...JSON_HEADERS, 'x-request-id': 'a' },
    'x-request-id is "a"',
  ],
  ['another media type', '/health', health, { ...HEADERS, 'content-type': 'text/html' }, 'text/html'],
  ['no limits', '/v1/models', { object: 'list', data: [] }, JSON_HEADERS, 'ratelimit is missing'],
  ['an unknown route', '/v1/nothing', {}, JSON_HEADERS, 'GET /v1/nothing is not documented'],
])('a response with %s is reported once', async (_what, path, body, headers, finding) => {
  const { url } = await serve(answering(body, headers));
  await (await fetch(url + path)).text();
  expect(() => answerObserver.assertDocumented()).toThrow(finding);
  answerObserver.assertDocumented();
});

it('every complete event of a broken stream is compared with the document', async () => {
  const limited = {
    'x-ratelimit-limit-requests': '1',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '1m0s',
    'ratelimit-policy': '"key";q=1;w=60',
    ratelimit: '"key";r=0;t=60',
    'x-gateway-model': 'acme/small',
    'x-gateway-overhead-ms': '0.10',
  };
  const { url } = await serve((req, res) => {
    res.setHeaders(new Map(Object.entries({ ...HEADERS, ...limited, 'content-type': 'text/event-stream' })));
    const event = req.url?.endsWith('bad') ? { ...chunk, object: 'surprise' } : chunk;
    res.write(`data: ${JSON.stringify(event)}\n\ndata: {"half`, () => res.socket?.destroySoon());
  });
  const ask = (query: string) => fetch(`${url}/v1/chat/completions?${query}`, { method: 'POST' });
  await expect((await ask('good')).text()).rejects.toThrow();
  answerObserver.assertDocumented();
  await expect((await ask('bad')).text()).rejects.toThrow();
  expect(() => answerObserver.assertDocumented()).toThrow('POST /v1/chat/completions 200');
});

it('a response that was written to the socket is compared with the document, too', async () => {
  const { port } = await serve(() => undefined);
  server?.on('clientError', (_error, socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nno');
  });
  await sendRaw(port, 'nonsense\r\n\r\n');
  expect(() => answerObserver.assertDocumented()).toThrow('content type text/plain');
});

import { createServer, type IncomingMessage } from 'node:http';
import { providerProtocolOf } from '@model-gateway/dialects';
import { closeServer, listen } from '@model-gateway/service-kit';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { UnsignedRequest } from '../credential-sources/fetched-credential.ts';
import { probeProvider } from './probe-provider.ts';

let asked: IncomingMessage | undefined;
let status = 200;
let answer = '{}';
const server = createServer((req, res) => {
  asked = req;
  res.writeHead(status).end(answer);
});
let pool: Pool;

beforeAll(async () => {
  pool = new Pool(`http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`);
});
afterAll(async () => {
  await pool.close();
  await closeServer(server, 1_000);
});

function provider(kind: string): RoutedProvider {
  const protocol = providerProtocolOf(kind, { apis: [] });
  if (protocol === undefined) throw new Error(`there are no providers of the kind ${kind}`);
  return {
    id: 'acme',
    kind: 'openai-compatible',
    origin: 'http://127.0.0.1',
    pathPrefix: '/v1',
    protocol,
    credentials: [{ variable: 'ACME_API_KEY', source: undefined, weight: 1 }],
    headers: { 'x-extra': '1' },
    timeouts: { connectMs: 1, firstByteMs: 1, firstBytePlainMs: undefined, idleMs: 1, totalMs: 1 },
  };
}
const probe = (kind: string, credential: string | undefined) =>
  probeProvider(pool, provider(kind), { credential }, new AbortController().signal);

it.each([
  ['openai-compatible', { authorization: 'Bearer secret' }],
  ['azure-openai', { 'api-key': 'secret' }],
  ['anthropic', { 'x-api-key': 'secret', 'anthropic-version': '2023-06-01' }],
])('the probe of a provider of kind %s requests its model list with its credential', async (kind, own) => {
  status = 200;
  expect(await probe(kind, 'secret')).toBe('ok');
  expect(asked).toMatchObject({ method: 'GET', url: '/v1/models' });
  const { accept, connection, host, 'user-agent': agent, ...headers } = asked?.headers ?? {};
  expect(headers).toEqual({ 'x-extra': '1', ...own });
  await probe(kind, undefined);
  expect(JSON.stringify(asked?.headers)).not.toMatch(/secret|authorization|api-key/);
});

it('a 400 of Google that names an invalid key is a refusal', async () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
  status = 400;
  answer = JSON.stringify({ error: { code: 400, message: 'API key not valid.', details } });
  expect(await probe('gemini', 'secret')).toBe('refused');
  answer = JSON.stringify({ error: { code: 400, message: 'User location is not supported.' } });
  expect(await probe('gemini', 'secret')).toBe('ok');
  answer = '{}';
});

it.each(['bedrock', 'vertex'])(
  'the probe of a provider of kind %s sends no key, and a 401 is no refusal',
  async (kind) => {
    status = 401;
    expect(await probe(kind, 'secret')).toBe('ok');
    expect(JSON.stringify(asked?.headers)).not.toMatch(/secret|authorization/);
  },
);

it.each([
  [200, 'ok'],
  [401, 'refused'],
  [403, 'ok'],
  [404, 'ok'],
  [500, 'failed'],
  [529, 'failed'],
])('a provider of the kind anthropic that answers %i is %s', async (answered, outcome) => {
  status = answered;
  expect(await probe('anthropic', 'secret')).toBe(outcome);
});

it('a fetched credential sets the headers and the path of a probe', async () => {
  status = 404;
  const fetched = {
    authenticate: async ({ headers, path }: UnsignedRequest) => ({
      path: `/mine${path}`,
      headers: { ...headers, authorization: `Bearer for ${path}` },
    }),
    secret: 'token',
    refused: () => false,
  };
  const { signal } = new AbortController();
  const credential = 'the key of a service account';
  expect(await probeProvider(pool, provider('vertex'), { credential, fetched }, signal)).toBe('ok');
  expect(asked).toMatchObject({
    url: '/mine/v1/ping',
    headers: { authorization: 'Bearer for /v1/ping' },
  });
  expect(JSON.stringify(asked?.headers)).not.toContain(credential);
});

import { adminKeyToken, generateApiKey } from '@model-gateway/shared';
import { envelopeOf, metricOf, sendRaw, startGatewayWithKey, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';

const body = '{"model":"sim/chat-free","messages":[{"role":"user","content":"hello"}]}';

const gateway = withGateway({ catalog: true });

/** A raw request, so that headers can be repeated and spelt as no client would. */
function post(headers: string[], path = '/v1/chat/completions') {
  const head = [
    'Host: a',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
  ].join('\r\n');
  return sendRaw(Number(new URL(gateway.baseUrl).port), `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`);
}

const missedLookups = () => metricOf(gateway.dataPlanes[0], 'gateway_key_lookups_total', { result: 'miss' });

describe('a request with a valid key', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('the scheme may be written %s', async (scheme) => {
    expect((await post([`Authorization: ${scheme} ${gateway.rawKey}`])).status).toBe(200);
  });
});

describe('a request without a valid key', () => {
  it.each<[string, string[], string?]>([
    ['no key', []],
    ['another scheme', ['Authorization: Basic Z3c6']],
    ['no scheme', ['Authorization: KEY']],
    ['two Authorization headers', ['Authorization: Bearer KEY', 'Authorization: Bearer KEY']],
    ['an injection', ["Authorization: Bearer ' OR '1'='1"]],
    ['a token of 10 kB', [`Authorization: Bearer gw_live_${'x'.repeat(10_000)}`]],
    ['a mistyped key', ['Authorization: Bearer MISTYPED']],
    ['a key with something behind it', ['Authorization: Bearer KEY x']],
    ['a key in the query string', [], '/v1/chat/completions?api_key=KEY&key=KEY'],
    ['a key in another header', ['x-api-key: KEY']],
  ])('%s gets 401 with WWW-Authenticate, without a look-up', async (_name, headers, path) => {
    const fill = (text: string) =>
      text
        .replaceAll('KEY', gateway.rawKey)
        .replace('MISTYPED', `${gateway.rawKey.slice(0, -1)}${gateway.rawKey.endsWith('a') ? 'b' : 'a'}`);
    const before = await missedLookups();
    const answer = await post(headers.map(fill), path && fill(path));
    expect(answer.status).toBe(401);
    expect(envelopeOf(answer)).toMatchObject({
      type: 'invalid_api_key',
      code: 'invalid_api_key',
      param: null,
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(await missedLookups()).toBe(before);
  });
});

it.each<[string[], string?]>([
  [[`Authorization: Bearer ${adminKeyToken.generate()}`]],
  [[`x-api-key: ${adminKeyToken.generate()}`], '/v1/messages'],
  [[`Authorization: Bearer ${adminKeyToken.generate()}`], '/v1/responses'],
])('an admin key calls no model, and is recognized without a look-up: %#', async (headers, path) => {
  const before = await missedLookups();
  const answer = await post(headers, path);
  expect(answer.status).toBe(401);
  const { code, message } = envelopeOf(answer);
  expect(code).toBe('invalid_api_key');
  expect(message).toMatch(/^This is an admin key, which manages the gateway and cannot call models\./);
  expect(message).not.toContain('gw_admin_');
  expect(await missedLookups()).toBe(before);
});

it.each<[string[], string?]>([
  [['Authorization: Bearer sk-proj-SECRET']],
  [['Authorization: bearer  AIzaSECRET']],
  [['x-api-key: sk-ant-api03-SECRET'], '/v1/messages'],
  [['Authorization: Bearer gsk_SECRET'], '/v1/responses'],
])("a provider's own key in %s is told apart from a wrong key", async (headers, path) => {
  const answer = await post(headers, path);
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  const { code, message } = envelopeOf(answer);
  expect(code).toBe('invalid_api_key');
  expect(message).toMatch(/^The API key looks like a model provider's own key\. .*"gw_live_"/);
  expect(answer.body).not.toContain('SECRET');
});

it('a key that merely contains the beginning of such a key is a wrong key', async () => {
  const answer = await post(['Authorization: Bearer my-sk-key']);
  expect(envelopeOf(answer).message).toMatch(/^The API key is missing, malformed, unknown or revoked/);
});

it('a key with a right checksum that nobody issued is unknown', async () => {
  const answer = await post([`Authorization: Bearer ${generateApiKey()}`]);
  expect(answer.status).toBe(401);
});

it('a flood of invented keys meets 429 while a known key goes on', async () => {
  await using own = await startGatewayWithKey();
  const send = (key: string) => own.ask('chat/completions', body, { key });
  expect((await send(own.rawKey)).status).toBe(200);
  const statuses = new Map<number, number>();
  // The budget refills while this goes on: a slow machine needs more rounds.
  while (!statuses.has(429)) {
    for (const response of await Promise.all(Array.from({ length: 60 }, () => send(generateApiKey())))) {
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  }
  expect(statuses.get(401)).toBeGreaterThanOrEqual(300);
  expect((await send(own.rawKey)).status).toBe(200);
});

describe('the public reads', () => {
  it('a read is served without a key or with a valid one, and refused with an invalid one', async () => {
    for (const path of ['/v1/models', '/v1/models/sim/chat-free', '/v1/models/sim%2Fchat-free']) {
      expect((await fetch(`${gateway.baseUrl}${path}`)).status).toBe(200);
      const keyed = await fetch(`${gateway.baseUrl}${path}`, {
        headers: { authorization: `Bearer ${gateway.rawKey}` },
      });
      expect(keyed.status).toBe(200);
      expect(keyed.headers.get('cache-control')).toContain('private');
      const wrong = await fetch(`${gateway.baseUrl}${path}`, { headers: { authorization: 'Bearer x' } });
      expect(wrong.status).toBe(401);
    }
  });

  it('status and health ignore the Authorization header', async () => {
    for (const path of ['/v1/status', '/v1/status/models', '/health']) {
      expect(
        (await fetch(`${gateway.baseUrl}${path}`, { headers: { authorization: 'Bearer x' } })).status,
      ).toBe(200);
    }
  });

  it("the request id is the data plane's own, and the client's is echoed beside it", async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/models`, { headers: { 'x-request-id': 'mine-1' } });
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/);
    expect(response.headers.get('x-client-request-id')).toBe('mine-1');
    const forged = await fetch(`${gateway.baseUrl}/v1/models`, { headers: { 'x-request-id': 'bad id' } });
    expect(forged.headers.get('x-client-request-id')).toBeNull();
  });
});

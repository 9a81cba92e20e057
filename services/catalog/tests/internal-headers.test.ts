import { modelList } from '@model-gateway/shared';
import { startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INTERNAL_TOKEN, type LoneCatalog, startLoneCatalog } from './catalog-fixture.ts';

const REQUEST_ID = 'req_0123456789abcdefghijABCD';
const OWN_REQUEST_ID = /^req_[0-9A-Za-z]{24}$/;
/** The client's data that a data plane forwards. */
const spoken = {
  'x-request-id': REQUEST_ID,
  'x-forwarded-for': '203.0.113.7',
  'x-gateway-authenticated': 'true',
};
const strangers: [string, Record<string, string>][] = [
  ['no token', {}],
  ['an empty token', { 'x-gateway-internal-token': '' }],
  ['a wrong token', { 'x-gateway-internal-token': 'guess'.repeat(8) }],
  ['a token that only begins right', { 'x-gateway-internal-token': INTERNAL_TOKEN.slice(0, -1) }],
  ['a token in another case', { 'x-gateway-internal-token': INTERNAL_TOKEN.toUpperCase() }],
  ['the token twice', { 'x-gateway-internal-token': `${INTERNAL_TOKEN}, ${INTERNAL_TOKEN}` }],
  ['the token in the wrong header', { authorization: `Bearer ${INTERNAL_TOKEN}` }],
];

let gateway: TestGateway;
let catalog: LoneCatalog;

beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  catalog = await startLoneCatalog(gateway.controlPlanes[0]?.grpcPort);
  await until(async () => (await catalog.readiness()).status === 200);
});
afterAll(async () => {
  await catalog.close();
  await gateway.close();
});

async function read(headers: Record<string, string>) {
  const response = await fetch(`${catalog.baseUrl}/v1/models`, { headers });
  expect(response.status).toBe(200);
  expect(modelList.parse(await response.json()).data).not.toHaveLength(0);
  const requestId = response.headers.get('x-request-id');
  await until(() => catalog.accessLine(requestId) !== undefined);
  return {
    requestId,
    cacheControl: response.headers.get('cache-control'),
    clientIp: catalog.accessLine(requestId)?.client_ip,
  };
}

describe('internal headers', () => {
  it.each(strangers)('of a caller with %s are ignored', async (_name, token) => {
    const answer = await read({ ...spoken, ...token });
    expect(answer.requestId).toMatch(OWN_REQUEST_ID);
    expect(answer.requestId).not.toBe(REQUEST_ID);
    expect(answer.clientIp).toBe('127.0.0.1');
    expect(answer.cacheControl).toBe('public, max-age=5');
  });

  it('with the token are trusted', async () => {
    expect(await read({ ...spoken, 'x-gateway-internal-token': INTERNAL_TOKEN })).toEqual({
      requestId: REQUEST_ID,
      clientIp: '203.0.113.7',
      cacheControl: 'private, max-age=5',
    });
  });

  it('are believed in errors, too, so that both logs tell of one request', async () => {
    const requestId = 'req_errorerrorerrorerror1234';
    for (const [path, status] of [
      ['/v1/models/sim/nothing', 404],
      ['/nowhere', 404],
      ['/v1//models', 404],
    ] as const) {
      const headers = { 'x-request-id': requestId, 'x-gateway-internal-token': INTERNAL_TOKEN };
      const response = await fetch(catalog.baseUrl + path, { headers });
      expect(response.status).toBe(status);
      expect(response.headers.get('x-request-id')).toBe(requestId);
      expect(await response.json()).toMatchObject({ error: { request_id: requestId } });
    }
  });

  it.each(['', 'req_short', 'req_0123456789abcdefghijAB-D', `x${REQUEST_ID}`, `${REQUEST_ID}0`])(
    'with a request id that is none of ours (%j) do not replace ours',
    async (requestId) => {
      const answer = await read({ 'x-request-id': requestId, 'x-gateway-internal-token': INTERNAL_TOKEN });
      expect(answer.requestId).toMatch(OWN_REQUEST_ID);
      expect(answer.requestId).not.toBe(requestId);
    },
  );

  it('without "true" for authentication leave the response public', async () => {
    for (const word of ['false', '1', 'TRUE', '']) {
      const answer = await read({
        'x-gateway-internal-token': INTERNAL_TOKEN,
        'x-gateway-authenticated': word,
      });
      expect(answer.cacheControl).toBe('public, max-age=5');
    }
  });

  it('never reach the log or a response with the token', async () => {
    const response = await fetch(`${catalog.baseUrl}/v1/models/${INTERNAL_TOKEN}`, {
      headers: {
        ...spoken,
        'x-gateway-internal-token': INTERNAL_TOKEN,
        'x-request-id': 'req_tokentokentokentokentoke',
      },
    });
    expect([...response.headers].join() + (await response.text())).not.toContain(INTERNAL_TOKEN);
    await until(() => catalog.accessLine('req_tokentokentokentokentoke') !== undefined);
    expect(JSON.stringify(catalog.accessLine('req_tokentokentokentokentoke'))).not.toContain(INTERNAL_TOKEN);
  });
});

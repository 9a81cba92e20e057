import {
  generateApiKey,
  modelList,
  modelObject,
  modelStatusList,
  statusSummary,
} from '@model-gateway/shared';
import { envelopeOf, sendRaw, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { INTERNAL_TOKEN, type Recorder, startRecorder } from './catalog-fixture.ts';

const MODEL_PATHS = ['/v1/models', '/v1/models/sim/chat-free', '/v1/models/sim%2Fchat-free'];
const STATUS_PATHS = ['/v1/status', '/v1/status/models'];
const PATHS = [...MODEL_PATHS, ...STATUS_PATHS];

let gateway: TestGateway;
let recorder: Recorder;
let rawKey: string;

beforeAll(async () => {
  recorder = await startRecorder(() => gateway.catalog?.port);
  gateway = await startGateway({ catalog: true, environment: { CATALOG_URL: recorder.url } });
  rawKey = (await gateway.createKey()).rawKey;
});
afterAll(async () => {
  await gateway.close();
  await recorder[Symbol.asyncDispose]();
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(gateway.baseUrl + path, { method, headers });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
/**
 * The heads that reached the catalog service for this path. Each request has its own query, which makes its
 * path unique.
 */
const arrived = (path: string) => recorder.seen.filter((head) => head.path === path);

describe('through a data plane', () => {
  it('everybody may read, without a key', async () => {
    const [list, one, encoded, status, statuses] = await Promise.all(
      PATHS.map(async (path) => {
        const response = await get(path);
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('public, max-age=5');
        return response.json();
      }),
    );
    expect(modelList.parse(list).data).toHaveLength(16);
    expect(modelObject.parse(one)).toEqual(modelObject.parse(encoded));
    expect(statusSummary.parse(status).components).not.toHaveLength(0);
    expect(modelStatusList.parse(statuses).data).toHaveLength(16);
  });

  it('a good key reads the same, for itself only', async () => {
    for (const path of MODEL_PATHS) {
      const [anonymous, authenticated] = [await get(path), await get(path, bearer(rawKey))];
      expect(authenticated.status).toBe(200);
      expect(authenticated.headers.get('cache-control')).toBe('private, max-age=5');
      expect(authenticated.headers.get('vary')).toContain('Authorization');
      expect(await authenticated.text()).toBe(await anonymous.text());
    }
  });

  it.each([
    ['unknown', `Bearer ${generateApiKey()}`],
    ['malformed', 'Bearer nonsense'],
    ['empty', ''],
    ['of another scheme', 'Basic dXNlcjpwYXNz'],
  ])(
    'a key that is %s is refused for models and never asks the catalog; the status ignores it',
    async (name, value) => {
      const query = `?refused=${encodeURIComponent(name)}`;
      for (const path of MODEL_PATHS) {
        const response = await get(path + query, { authorization: value });
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        expect(envelopeOf({ body: await response.text() }).code).toBe('invalid_api_key');
        expect(arrived(path + query)).toEqual([]);
      }
      for (const path of STATUS_PATHS) {
        expect((await get(path + query, { authorization: value })).status).toBe(200);
      }
    },
  );

  it('neither key nor cookie nor any header of the reader’s own reaches the catalog service', async () => {
    for (const path of PATHS.map((each) => `${each}?headers`)) {
      const response = await get(path, {
        ...bearer(rawKey),
        cookie: 'session=secret',
        'x-custom': 'secret',
        'x-forwarded-for': '203.0.113.7',
        'x-request-id': 'req_0123456789abcdefghijABCD',
        'x-gateway-internal-token': 'guess',
        'x-gateway-authenticated': 'perhaps',
      });
      expect(response.status).toBe(200);
      const [head, ...more] = arrived(path);
      expect(more).toEqual([]);
      expect(head?.headers).toEqual({
        accept: '*/*',
        'accept-encoding': expect.stringContaining('gzip'),
        'user-agent': 'node',
        host: new URL(recorder.url).host,
        connection: 'keep-alive',
        'x-gateway-internal-token': INTERNAL_TOKEN,
        'x-request-id': response.headers.get('x-request-id'),
        'x-forwarded-for': '127.0.0.1',
        ...(path.startsWith('/v1/models') ? { 'x-gateway-authenticated': 'true' } : {}),
      });
      expect([...response.headers].join()).not.toContain(INTERNAL_TOKEN);
    }
  });

  it.each([
    ['Expect', 'Expect: 100-continue'],
    ['Expect in other letters', 'eXPECT: 100-Continue'],
    ['Expect, twice', 'Expect: 100-continue\r\nExpect: 100-continue'],
    [
      'Connection with the names of others',
      'Connection: authorization, x-gateway-internal-token, keep-alive',
    ],
    ['Connection: upgrade', 'Connection: Upgrade\r\nUpgrade: websocket'],
    ['Connection: upgrade and Expect', 'Connection: Upgrade\r\nUpgrade: h2c\r\nExpect: 100-continue'],
    ['Proxy-Connection', 'Proxy-Connection: keep-alive\r\nKeep-Alive: timeout=1000'],
    ['TE', 'Connection: TE\r\nTE: trailers, deflate'],
    ['Trailer', 'Trailer: Authorization'],
    ['Content-Length of nothing', 'Content-Length: 0\r\nContent-Type: application/json'],
    ['forwarding', 'Forwarded: for=203.0.113.7\r\nX-Real-IP: 203.0.113.7\r\nVia: 1.1 somebody'],
    ['another method', 'X-HTTP-Method-Override: DELETE'],
    ['the names of objects', '__proto__: x\r\nconstructor: x\r\nhasOwnProperty: x'],
    [':authority', ':authority: elsewhere\r\n:path: /metrics'],
  ])('no header gets the others past that: %s', async (name, headers) => {
    const { port } = new URL(gateway.baseUrl);
    const path = `/v1/models/sim/chat-free?special=${encodeURIComponent(name)}`;
    const answer = await sendRaw(
      Number(port),
      `GET ${path} HTTP/1.1\r\nHost: reader.example\r\nAuthorization: Bearer ${rawKey}\r\nCookie: session=secret\r\nX-Custom: secret\r\nX-Gateway-Internal-Token: guess\r\n${headers}\r\n\r\n`,
    );
    const [head, ...more] = arrived(path);
    // Bytes that Node's parser does not accept are refused completely.
    if (answer.status === 400) {
      expect(head).toBeUndefined();
      return;
    }
    expect(answer.status).toBe(200);
    expect(more).toEqual([]);
    expect(head?.headers).toEqual({
      host: new URL(recorder.url).host,
      connection: 'keep-alive',
      'x-gateway-internal-token': INTERNAL_TOKEN,
      'x-request-id': answer.headers['x-request-id'],
      'x-forwarded-for': '127.0.0.1',
      'x-gateway-authenticated': 'true',
    });
    expect(answer.headers.connection).toBe('keep-alive');
  });

  it('a GET that says it has a body is refused before the catalog is asked', async () => {
    const { port } = new URL(gateway.baseUrl);
    for (const framing of ['Transfer-Encoding: chunked', 'Content-Length: 5', 'Transfer-Encoding: gzip']) {
      const path = `/v1/models?body=${encodeURIComponent(framing)}`;
      const answer = await sendRaw(
        Number(port),
        `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nExpect: 100-continue\r\n${framing}\r\n\r\n`,
      );
      expect(answer.status).toBe(400);
      expect(arrived(path)).toEqual([]);
    }
  });

  it('a reader who asks for the end of his connection gets it', async () => {
    const { port } = new URL(gateway.baseUrl);
    const request = 'GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const { status, headers, closed } = await sendRaw(Number(port), request);
    expect({ status, connection: headers.connection, closed }).toEqual({
      status: 200,
      connection: 'close',
      closed: true,
    });
  });

  it('a reader who has a copy is answered 304, and HEAD has no body', async () => {
    for (const path of MODEL_PATHS) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      const unchanged = await get(path, { 'if-none-match': etag });
      expect(unchanged.status).toBe(304);
      expect(unchanged.headers.get('etag')).toBe(etag);
      const head = await get(path, {}, 'HEAD');
      expect(head.status).toBe(200);
      expect(head.headers.get('etag')).toBe(etag);
      expect(await head.text()).toBe('');
    }
  });

  it('an error of the catalog service arrives as it is, under the request id of the reader’s answer', async () => {
    const response = await get('/v1/models/sim/nothing');
    expect(response.status).toBe(404);
    expect(envelopeOf({ body: await response.text() })).toMatchObject({
      code: 'model_not_found',
      request_id: response.headers.get('x-request-id'),
    });
    const wrong = await get('/v1/models?tier=cheap');
    expect(wrong.status).toBe(400);
    expect(envelopeOf({ body: await wrong.text() }).param).toBe('tier');
  });

  it('a wrong method is refused before the catalog is asked', async () => {
    for (const path of PATHS.map((each) => `${each}?method`)) {
      const response = await get(path, {}, 'DELETE');
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      expect(arrived(path)).toEqual([]);
    }
  });
});

describe('for a client of Anthropic, told by its version header', () => {
  const version = { 'anthropic-version': '2023-06-01' };
  const anyPage = z.looseObject({ last_id: z.string().nullish() });
  const page = async (query: string, headers: Record<string, string> = {}) => {
    const response = await get(`/v1/models${query}`, { ...version, ...headers });
    return { response, body: anyPage.parse(await response.json()) };
  };

  it('the models that chat are listed in its form, in pages', async () => {
    const first = await page('?limit=1');
    expect(first.response.status).toBe(200);
    expect(first.body).toEqual({
      data: [
        {
          type: 'model',
          id: 'sim/chat-free',
          display_name: 'chat free',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ],
      has_more: true,
      first_id: 'sim/chat-free',
      last_id: 'sim/chat-free',
    });
    const second = await page(`?limit=1&after_id=${first.body.last_id}`);
    expect(second.body).toMatchObject({ data: [{ id: 'sim/chat-pro' }], has_more: false });
  });

  it.each(['sim/chat-free', 'sim%2Fchat-free'])('one model is found: %s', async (id) => {
    const response = await get(`/v1/models/${id}`, version);
    expect(await response.json()).toMatchObject({ type: 'model', id: 'sim/chat-free' });
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
  });

  it('neither form is taken for the other by a cache', async () => {
    for (const path of MODEL_PATHS) {
      const [theirs, ours] = [await get(path, version), await get(path)];
      for (const { headers } of [theirs, ours]) expect(headers.get('vary')).toContain('anthropic-version');
      const etag = ours.headers.get('etag') ?? '';
      expect(theirs.headers.get('etag')).not.toBe(etag);
      expect((await get(path, { ...version, 'if-none-match': etag })).status).toBe(200);
      const own = theirs.headers.get('etag') ?? '';
      expect((await get(path, { ...version, 'if-none-match': own })).status).toBe(304);
    }
  });

  it('x-api-key is no key here, and Authorization is one', async () => {
    const headers = { 'x-api-key': 'nonsense' };
    const public_ = await page('', headers);
    expect(public_.response.headers.get('cache-control')).toBe('public, max-age=5');
    const own = await page('', { ...headers, ...bearer(rawKey) });
    expect(own.response.headers.get('cache-control')).toBe('private, max-age=5');
  });

  it.each<[string, string, Record<string, string>, number, object]>([
    ['a wrong limit', '?limit=0', {}, 400, { type: 'invalid_request_error', param: 'limit' }],
    ['a wrong key', '', { authorization: 'Bearer nonsense' }, 401, { type: 'authentication_error' }],
    ['no such model', '/sim/nothing', {}, 404, { type: 'not_found_error', code: 'model_not_found' }],
    ['a model that does not chat', '/sim/embed-free', {}, 404, { type: 'not_found_error' }],
  ])('errors have its form: %s', async (_name, query, headers, status, error) => {
    const { body, response } = await page(query, headers);
    expect(response.status).toBe(status);
    expect(body).toMatchObject({ type: 'error', error, request_id: response.headers.get('request-id') });
  });
});

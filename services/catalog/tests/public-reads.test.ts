import { modelList, modelObject, modelStatusList, statusSummary } from '@model-gateway/shared';
import { envelopeOf, simulatedCatalog, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let gateway: TestGateway;
let baseUrl: string;

beforeAll(async () => {
  gateway = await startGateway({ catalog: true, dataPlanes: 0 });
  baseUrl = `http://127.0.0.1:${gateway.catalog?.port}`;
});
afterAll(() => gateway.close());

const get = (path: string, init: RequestInit = {}) => fetch(baseUrl + path, init);

async function expectEnvelope(response: Response, status: number, code: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const error = envelopeOf({ body: await response.text() });
  expect(error).toMatchObject({ type: 'invalid_request_error', code });
  expect(error.request_id).toBe(response.headers.get('x-request-id'));
  return error;
}

describe('the models', () => {
  it('are listed as the catalog has them, every field there, sorted by id', async () => {
    const { data } = modelList.strict().parse(await (await get('/v1/models')).json());
    const ids = simulatedCatalog('http://unused').models.map(({ id }) => id);
    expect(data.map(({ id }) => id)).toEqual(ids.sort());
    expect(data.find(({ id }) => id === 'sim/embed-pro')).toMatchObject({
      owned_by: 'sim',
      name: 'embed pro',
      capability: 'embeddings',
      tier: 'paid',
      pricing: { input_per_million_usd: '0.10' },
      endpoints: ['/v1/embeddings'],
    });
  });

  it('can be filtered, and a wrong filter is named', async () => {
    const { data } = modelList.parse(await (await get('/v1/models?capability=chat&tier=free')).json());
    expect(data.map(({ id }) => id)).toEqual(['sim/chat-free']);
    const error = await expectEnvelope(await get('/v1/models?tier=cheap'), 400, 'invalid_request');
    expect(error.param).toBe('tier');
  });

  it.each(['sim/chat-free', 'sim%2Fchat-free', 'sim%2fchat-free'])('are found one by one: %s', async (id) => {
    const response = await get(`/v1/models/${id}`);
    expect(response.status).toBe(200);
    expect(modelObject.strict().parse(await response.json())).toMatchObject({
      id: 'sim/chat-free',
      object: 'model',
      owned_by: 'sim',
    });
  });

  it.each(['sim/nothing', 'sim%2Fnothing', 'sim', 'sim/chat-free/more', 'SIM/chat-free', '__proto__'])(
    '%s is none: 404 in the envelope',
    async (id) => {
      await expectEnvelope(await get(`/v1/models/${id}`), 404, 'model_not_found');
    },
  );

  it('show a new model as soon as the catalog has changed, under a new ETag', async () => {
    await using own = await startGateway({ catalog: true, dataPlanes: 0 });
    const list = () => fetch(`http://127.0.0.1:${own.catalog?.port}/v1/models`);
    const before = await list();
    const document = simulatedCatalog(own.provider.baseUrl);
    const [model] = document.models;
    if (model === undefined) throw new Error('the test catalog is empty');
    await own.applyCatalog({ ...document, models: [...document.models, { ...model, id: 'sim/another' }] });
    await expect
      .poll(async () => modelList.parse(await (await list()).json()).data.map(({ id }) => id))
      .toContain('sim/another');
    expect((await list()).headers.get('etag')).not.toBe(before.headers.get('etag'));
  });
});

describe('a reader who has a copy', () => {
  it.each([
    ['the same', (etag: string) => etag],
    ['the same, weak', (etag: string) => `W/${etag}`],
    ['one of several', (etag: string) => `"other", ${etag}`],
    ['any', () => '*'],
  ])('is answered 304 without a body: %s', async (_name, header) => {
    for (const path of ['/v1/models', '/v1/models/sim/chat-free']) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[^"]+"$/);
      const response = await get(path, { headers: { 'if-none-match': header(etag) } });
      expect(response.status).toBe(304);
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('cache-control')).toBe('public, max-age=5');
      expect(await response.text()).toBe('');
    }
  });

  it('gets the whole answer when the copy is an old one', async () => {
    const response = await get('/v1/models', { headers: { 'if-none-match': '"old"' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('vary')).toBe('Authorization, anthropic-version, Accept-Encoding');
    expect(modelList.parse(await response.json()).data).not.toHaveLength(0);
  });
});

describe('routes', () => {
  it.each(['/health', '/v1/models', '/v1/models/sim/chat-free', '/v1/status', '/v1/status/models'])(
    'HEAD %s is GET without the body',
    async (path) => {
      const head = await get(path, { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(2);
      expect(await head.text()).toBe('');
    },
  );

  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/models/',
    '/V1/models',
    '/v1/statuses',
    '/v1/models/..%2Fstatus',
    '/metrics',
  ])('%s is none: 404 in the envelope', async (path) => {
    await expectEnvelope(await get(path), 404, 'not_found');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s is refused, and told what is allowed',
    async (method) => {
      for (const path of [
        '/health',
        '/v1/models',
        '/v1/models/sim/chat-free',
        '/v1/status',
        '/v1/status/models',
      ]) {
        const response = await get(path, { method });
        expect(response.headers.get('allow')).toBe('GET, HEAD');
        await expectEnvelope(response, 405, 'method_not_allowed');
      }
    },
  );

  it('/health says that it serves, and is never cached', async () => {
    const response = await get('/health');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({ status: 'ok', service: 'catalog' });
  });
});

describe('the status', () => {
  it('has the documented shape, with every component and provider', async () => {
    const response = await get('/v1/status');
    const status = statusSummary.strict().parse(await response.json());
    const ids = status.components.map(({ id }) => id);
    expect(ids).toEqual(['data_plane', 'control_plane', 'database', 'limits_store', 'provider:sim']);
    expect(Math.abs(status.updated_at - Date.now() / 1_000)).toBeLessThan(60);
    expect(response.headers.get('cache-control')).toBe('public, max-age=5');
  });

  it('is critical without a data plane', async () => {
    await expect
      .poll(async () => statusSummary.parse(await (await get('/v1/status')).json()))
      .toMatchObject({
        status: { indicator: 'critical' },
        components: expect.arrayContaining([
          expect.objectContaining({ id: 'data_plane', status: 'major_outage' }),
          expect.objectContaining({ id: 'database', status: 'operational' }),
        ]),
      });
  });

  it('of the models has one row for each, with no invented figure', async () => {
    const { data } = modelStatusList.parse(await (await get('/v1/status/models')).json());
    const listed = modelList.parse(await (await get('/v1/models')).json());
    expect(data.map(({ id }) => id)).toEqual(listed.data.map(({ id }) => id));
    for (const row of data)
      expect(row).toMatchObject({
        status: 'operational',
        uptime_5m: null,
        latency_ms: { p50: null, p95: null },
        requests_5m: 0,
      });
  });
});

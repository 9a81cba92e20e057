import { createServer } from 'node:http';
import { listen } from '@model-gateway/service-kit';
import { startGateway } from '@model-gateway/test-kit/start-gateway';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { until } from '@model-gateway/test-kit/until';
import { describe, expect, it } from 'vitest';
import { modelsResponse, statusResponse } from '../wire/status.ts';
import { Browser, refusal, startServer } from './server-fixture.ts';

/** Starts a stub of the catalog service that records its requests. */
async function startCatalogStub(bodyOf: (path: string) => unknown) {
  const requests: string[] = [];
  const server = createServer((req, res) => {
    requests.push(req.url ?? '');
    const body = bodyOf(req.url ?? '');
    res.writeHead(body === undefined ? 503 : 200, { 'content-type': 'application/json' });
    setTimeout(() => res.end(JSON.stringify(body ?? {})), 50);
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const status = {
  object: 'status',
  status: { indicator: 'none', description: 'All systems operational' },
  components: [],
  updated_at: 1,
};
const models = { object: 'list', data: [] };

describe('the status', () => {
  it('is read once for 100 visitors within 5 s', async () => {
    await using database = await createTestDatabase();
    await using catalog = await startCatalogStub((path) => (path === '/v1/status' ? status : models));
    await using server = await startServer({
      databaseUrl: database.url,
      settings: { CATALOG_URL: catalog.url },
    });
    const startedAtMs = performance.now();
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => new Browser(server).json('/api/status')),
    );
    await new Browser(server).json('/api/status');
    // On a busy machine the requests may take longer than 5 s, so that the server reads again.
    const maxReads = 1 + Math.floor((performance.now() - startedAtMs) / 5_000);
    for (const path of ['/v1/status', '/v1/status/models']) {
      const reads = catalog.requests.filter((each) => each === path).length;
      expect(reads).toBeGreaterThan(0);
      expect(reads).toBeLessThanOrEqual(maxReads);
    }
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(statusResponse.parse(responses[0]).status.status.indicator).toBe('none');
  });

  it('stays as it was while the catalog service cannot be reached', async () => {
    await using database = await createTestDatabase();
    let away = false;
    await using catalog = await startCatalogStub((path) =>
      away ? undefined : path === '/v1/status' ? status : models,
    );
    await using server = await startServer({
      databaseUrl: database.url,
      settings: { CATALOG_URL: catalog.url },
    });
    const browser = new Browser(server);
    const before = statusResponse.parse(await browser.json('/api/status'));
    away = true;
    await until(async () => {
      await browser.json('/api/status');
      return catalog.requests.length > 2;
    });
    expect(statusResponse.parse(await browser.json('/api/status'))).toEqual(before);
  });

  it('is 503 if the catalog service was never reached', async () => {
    await using database = await createTestDatabase();
    await using server = await startServer({
      databaseUrl: database.url,
      settings: { CATALOG_URL: 'http://127.0.0.1:9' },
    });
    for (const path of ['/api/status', '/api/models']) {
      expect(await refusal(await new Browser(server).fetch(path))).toEqual([503, 'service_unavailable']);
    }
  });

  it('and the models are public', async () => {
    await using gateway = await startGateway({ catalog: true, dataPlanes: 0 });
    await using server = await startServer({
      databaseUrl: gateway.databaseUrl,
      settings: { CATALOG_URL: `http://127.0.0.1:${gateway.catalog?.port}` },
    });
    const response = await new Browser(server).fetch('/api/models');
    expect(response.headers.get('cache-control')).toBe('public, max-age=5');
    expect(modelsResponse.parse(await response.json()).data).toHaveLength(16);
    const { models: statuses } = statusResponse.parse(await new Browser(server).json('/api/status'));
    expect(statuses?.data).toHaveLength(16);
  });
});

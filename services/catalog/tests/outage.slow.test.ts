import { modelList, statusSummary } from '@model-gateway/shared';
import { envelopeOf, startGateway, until } from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { describe, expect, it } from 'vitest';
import { startLoneCatalog, startRelay } from './catalog-fixture.ts';

const CATALOG_ROUTES = ['/v1/models', '/v1/models/sim/chat-free', '/v1/status/models'];

const statusOf = async (baseUrl: string) =>
  statusSummary.parse(await (await fetch(`${baseUrl}/v1/status`)).json());

describe('with the control plane gone', () => {
  it('the models are answered as before, byte for byte, and the status says what is wrong', async () => {
    await using gateway = await startGateway({ catalog: true });
    const baseUrl = `http://127.0.0.1:${gateway.catalog?.port}`;
    const paths = ['/v1/models', '/v1/models/sim/chat-free', '/v1/models/sim%2Fchat-pro'];
    const read = () => Promise.all(paths.map(async (path) => (await fetch(baseUrl + path)).text()));
    const before = await read();
    await until(async () => (await statusOf(baseUrl)).status.indicator === 'none');
    await gateway.controlPlanes[0]?.close();

    await until(async () => (await statusOf(baseUrl)).status.indicator === 'major');
    const { components } = await statusOf(baseUrl);
    const statuses = Object.fromEntries(components.map(({ id, status }) => [id, status]));
    expect(statuses).toMatchObject({
      control_plane: 'major_outage',
      database: 'degraded_performance',
      data_plane: 'degraded_performance',
      'provider:sim': 'operational',
    });
    expect(await read()).toEqual(before);
    expect((await fetch(`${baseUrl}/v1/models/sim/nothing`)).status).toBe(404);
    const ready = await fetch(`http://127.0.0.1:${gateway.catalog?.internalPort}/health/ready`);
    expect(ready.status).toBe(200);
  });
});

describe('started without a control plane', () => {
  it('it listens, is not ready, and answers 503 with Retry-After until it has a catalog', async () => {
    await using catalog = await startLoneCatalog(await freePort());
    for (const path of CATALOG_ROUTES) {
      const response = await fetch(catalog.baseUrl + path);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      const body = await response.text();
      expect(envelopeOf({ body })).toMatchObject({
        type: 'service_unavailable',
        code: 'control_plane_unavailable',
        request_id: response.headers.get('x-request-id'),
      });
      expect(response.headers.get('etag')).toBeNull();
    }
    const readiness = await catalog.readiness();
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({
      status: 'not_ready',
      reasons: ['no catalog from the control plane yet'],
    });
    expect((await fetch(`${catalog.baseUrl}/health`)).status).toBe(200);
    expect((await statusOf(catalog.baseUrl)).status.indicator).toBe('major');
  });

  it('it heals by itself when the control plane comes', async () => {
    await using gateway = await startGateway({ dataPlanes: 0 });
    const port = await freePort();
    await using catalog = await startLoneCatalog(port);
    expect((await fetch(`${catalog.baseUrl}/v1/models`)).status).toBe(503);

    await using _controlPlane = await startRelay(gateway.controlPlanes[0]?.grpcPort ?? 0, port);
    await until(async () => (await catalog.readiness()).status === 200);
    const { data } = modelList.parse(await (await fetch(`${catalog.baseUrl}/v1/models`)).json());
    expect(data.map(({ id }) => id)).toContain('sim/chat-free');
  });

  it('it reconnects after every interruption, and the status is well again', {}, async () => {
    await using gateway = await startGateway();
    const grpcPort = gateway.controlPlanes[0]?.grpcPort ?? 0;
    const port = await freePort();
    await using catalog = await startLoneCatalog(port);
    for (let round = 0; round < 2; round++) {
      {
        await using _controlPlane = await startRelay(grpcPort, port);
        await until(async () => (await statusOf(catalog.baseUrl)).status.indicator === 'none');
      }
      await until(async () => (await statusOf(catalog.baseUrl)).status.indicator === 'major');
      expect((await fetch(`${catalog.baseUrl}/v1/models`)).status).toBe(200);
    }
  });

  it('it stops at once while it waits for the control plane', async () => {
    const catalog = await startLoneCatalog(await freePort());
    await catalog.close();
    await expect(fetch(`${catalog.baseUrl}/health`)).rejects.toThrow();
  });
});

import { randomUUID } from 'node:crypto';
import { ControlPlaneClient, type SettleAckMessage } from '@model-gateway/contracts';
import { modelList, modelStatusList, statusSummary } from '@model-gateway/shared';
import { startGateway, type TestGateway, untilWithin } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INTERNAL_TOKEN } from './catalog-fixture.ts';

/** The age of figures that readers of the status page are promised. */
const FRESH_MS = 5_000;

let gateway: TestGateway;
let client: ControlPlaneClient;

beforeAll(async () => {
  gateway = await startGateway({ catalog: true });
  const addresses = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  client = new ControlPlaneClient({ addresses, token: INTERNAL_TOKEN, tls: {} });
});
afterAll(async () => {
  client.close();
  await gateway.close();
});

const get = (path: string) => fetch(`http://127.0.0.1:${gateway.catalog?.port}${path}`);
const rowOf = async (modelId: string) =>
  modelStatusList
    .strict()
    .parse(await (await get('/v1/status/models')).json())
    .data.find(({ id }) => id === modelId);
const readModels = async () => {
  const response = await get('/v1/models');
  return { etag: response.headers.get('etag'), data: modelList.parse(await response.json()).data };
};

/** Reports requests as a data plane does, and waits until they are acknowledged. */
async function settle(modelId: string, outcomes: readonly string[], timeToFirstTokenMs?: number) {
  const records = outcomes.map((outcome) => {
    const attempt = { providerId: 'sim', outcome, latencyMs: 200, endedAtMs: Date.now() };
    const firstToken = timeToFirstTokenMs === undefined ? {} : { timeToFirstTokenMs };
    return {
      requestId: randomUUID(),
      modelId,
      capability: 'chat',
      owner: { accountId: 'acct_test' },
      keyId: 'key_test',
      billingReason: 'completed',
      endedAtMs: attempt.endedAtMs,
      attempts: [{ ...attempt, ...firstToken }],
    };
  });
  const stream = client.stubs.billing.settleUsage(client.metadata);
  await new Promise<SettleAckMessage>((resolve, reject) => {
    stream.on('data', resolve);
    stream.on('error', reject);
    stream.write({ batchId: randomUUID(), records });
  });
  stream.end();
}

describe('the status of models', () => {
  it('shows outcomes within five seconds, and the models keep their ETag while no status changes', async () => {
    const before = await readModels();
    await settle('sim/chat-free', ['completed', 'completed', 'client_gone', 'failed'], 20);
    await untilWithin(FRESH_MS, async () => (await rowOf('sim/chat-free'))?.requests_5m === 4);
    const row = await rowOf('sim/chat-free');
    expect(row).toMatchObject({
      status: 'operational',
      uptime_5m: 0.75,
      uptime_1h: 0.75,
      uptime_24h: 0.75,
      error_rate_5m: 0.25,
    });
    for (const percentile of [row?.latency_ms?.p50, row?.latency_ms?.p95])
      expect(Math.abs((percentile ?? 0) - 200)).toBeLessThanOrEqual(20);
    expect(Math.abs((row?.time_to_first_token_ms?.p50 ?? 0) - 20)).toBeLessThanOrEqual(2);
    expect(Math.abs((row?.updated_at ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
    expect((await readModels()).etag).toBe(before.etag);
  });

  it('of a model without traffic has zero requests and null figures', async () => {
    expect(await rowOf('sim/rerank-free')).toMatchObject({
      status: 'operational',
      uptime_5m: null,
      uptime_1h: null,
      uptime_24h: null,
      error_rate_5m: null,
      latency_ms: { p50: null, p95: null },
      time_to_first_token_ms: null,
      requests_5m: 0,
    });
  });

  it('turns with its failures, in /v1/models and its provider in /v1/status as well', async () => {
    const before = await readModels();
    await settle('sim/embed-pro', new Array<string>(20).fill('failed'));
    await untilWithin(FRESH_MS, async () => (await rowOf('sim/embed-pro'))?.status === 'major_outage');
    const after = await readModels();
    expect(after.etag).not.toBe(before.etag);
    const statuses = Object.fromEntries(after.data.map(({ id, status }) => [id, status]));
    expect(statuses).toMatchObject({ 'sim/embed-pro': 'major_outage', 'sim/chat-free': 'operational' });
    expect(await (await get('/v1/models/sim/embed-pro')).json()).toMatchObject({ status: 'major_outage' });
    const summary = statusSummary.parse(await (await get('/v1/status')).json());
    expect(summary.components.find(({ id }) => id === 'provider:sim')?.status).toBe('partial_outage');
    expect(summary.status.indicator).toBe('minor');
  });
});

import { ControlPlaneClient, type ListHolderRequestsResponseMessage } from '@model-gateway/contracts';
import {
  postJson,
  startGateway,
  startRedisServer,
  TEST_SECRETS,
  type TestGateway,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, inject, it } from 'vitest';
import { monitorRedis } from '../limits/redis-monitor.ts';
import { spawnDataPlane } from './data-plane-process.ts';

const CALL_MS = 10_000;

type Asked = Partial<{ keyId: string; modelId: string; limit: number; pageToken: string }>;

/** As the dashboard asks. */
async function listOf(
  gateway: TestGateway,
  accountId: string,
  asked: Asked = {},
): Promise<ListHolderRequestsResponseMessage> {
  const addresses = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  const client = new ControlPlaneClient({ addresses, token: TEST_SECRETS.INTERNAL_TOKEN, tls: {} });
  try {
    return await client.call(CALL_MS, 'dashboard', 'listHolderRequests', {
      accountId,
      startMs: 0,
      endMs: Date.now() + 1,
      limit: 100,
      withRefused: true,
      ...asked,
    });
  } finally {
    client.close();
  }
}

/** How many reports of refused requests the control plane has got. */
async function reportsTo({ controlPlanes }: TestGateway): Promise<number> {
  const metrics = await fetch(`http://127.0.0.1:${controlPlanes[0]?.internalPort}/metrics`);
  const counts = (await metrics.text()).matchAll(/_total\{[^}]*method="ReportRefusals"[^}]*\} (\d+)/g);
  return [...counts].reduce((total, [, count]) => total + Number(count), 0);
}

async function send(url: string, rawKey: string, body: object | string, path = '/v1/chat/completions') {
  const answer = await postJson(url, rawKey, path, typeof body === 'string' ? body : JSON.stringify(body));
  await answer.arrayBuffer();
  return answer.status;
}

const chatOf = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'hi' }],
  max_tokens: 1,
  ...more,
});

describe('requests that are refused', () => {
  const gateway = withGateway({
    ownPools: true,
    defaultLimits: true,
    environment: { SIMULATED_API_KEY: '' },
  });

  it('refused requests are listed with their reason, count and last time', async () => {
    const { rawKey, id: keyId, accountId } = await gateway.createKey();
    const startedAtMs = Date.now();
    const url = gateway.baseUrl;
    expect(await send(url, rawKey, chatOf('sim/chat-pro'))).toBe(402);
    expect(await send(url, rawKey, chatOf('sim/chat-pro'))).toBe(402);
    // Its provider has no credential.
    expect(await send(url, rawKey, chatOf('sim/chat-free'))).toBe(503);
    expect(await send(url, rawKey, chatOf('sim/embed-free'))).toBe(400);
    expect(await send(url, rawKey, '{')).toBe(400);
    expect(await send(url, rawKey, chatOf('sim/nothing'))).toBe(404);
    let refused = 0;
    while ((await send(url, rawKey, chatOf('sim/chat-free'))) === 503) refused += 1;
    expect(await send(url, rawKey, chatOf('sim/chat-free'))).toBe(429);
    const expected = [
      ['sim/chat-free', 429, 'rate_limit_exceeded', 2],
      ['sim/chat-free', 503, 'model_unavailable', 1 + refused],
      ['', 404, 'model_not_found', 1],
      ['', 400, 'invalid_json', 1],
      ['', 400, 'wrong_endpoint', 1],
      ['sim/chat-pro', 402, 'insufficient_balance', 2],
    ];
    let listed: ListHolderRequestsResponseMessage['requests'] = [];
    await until(async () => {
      ({ requests: listed } = await listOf(gateway, accountId));
      return listed.length === expected.length;
    });
    expect(
      listed.map(({ modelId, clientStatus, clientErrorCode, refused: marked }) => [
        modelId,
        clientStatus,
        clientErrorCode,
        marked?.count,
      ]),
    ).toEqual(expected);
    for (const { refused: marked, endedAtMs, ...entry } of listed) {
      expect(entry).toMatchObject({
        keyId,
        keyName: 'test',
        keyKind: 'issued',
        capability: 'chat',
        cost: '0',
      });
      expect(Number(marked?.firstAtMs)).toBeGreaterThanOrEqual(startedAtMs);
      expect(Number(endedAtMs)).toBeGreaterThanOrEqual(Number(marked?.firstAtMs));
      expect(Number(endedAtMs)).toBeLessThanOrEqual(Date.now());
    }
  });

  it('requests with a revoked key are not listed', async () => {
    const { rawKey, id, accountId } = await gateway.createKey();
    expect(await send(gateway.baseUrl, rawKey, chatOf('sim/chat-pro'))).toBe(402);
    await until(async () => (await listOf(gateway, accountId)).requests.length === 1);
    await gateway.revokeKey(id);
    expect(await send(gateway.baseUrl, rawKey, chatOf('sim/chat-pro'))).toBe(401);
    // Later refusals are reported later.
    const other = await gateway.createKey(accountId);
    expect(await send(gateway.baseUrl, other.rawKey, chatOf('sim/chat-pro'))).toBe(402);
    await until(async () => (await listOf(gateway, accountId)).requests.length > 1);
    const { requests } = await listOf(gateway, accountId);
    expect(requests.map(({ keyId, clientStatus }) => [keyId, clientStatus])).toEqual([
      [other.id, 402],
      [id, 402],
    ]);
  });

  it('refused requests are found by key and model, and page by page', async () => {
    const { rawKey, id: keyId, accountId } = await gateway.createKey();
    const { rawKey: second } = await gateway.createKey(accountId);
    for (const model of ['sim/chat-pro', 'sim/chat-free']) {
      await send(gateway.baseUrl, rawKey, chatOf(model));
      await send(gateway.baseUrl, second, chatOf(model));
    }
    await until(async () => (await listOf(gateway, accountId)).requests.length === 4);
    const ofBoth = await listOf(gateway, accountId, { keyId, modelId: 'sim/chat-pro' });
    expect(ofBoth.requests.map(({ modelId, keyId: of }) => [modelId, of])).toEqual([['sim/chat-pro', keyId]]);
    const ids = new Set<string>();
    let pageToken: string | undefined;
    do {
      const page = await listOf(gateway, accountId, {
        limit: 1,
        ...(pageToken === undefined ? {} : { pageToken }),
      });
      expect(page.requests).toHaveLength(1);
      for (const { requestId } of page.requests) ids.add(requestId);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    expect(ids.size).toBe(4);
    expect((await listOf(gateway, await gateway.createAccount())).requests).toEqual([]);
  });

  it('refused requests are not part of usage', async () => {
    const { rawKey, accountId } = await gateway.createKey();
    await send(gateway.baseUrl, rawKey, chatOf('sim/chat-pro'));
    await until(async () => (await listOf(gateway, accountId)).requests.length === 1);
    const usage = await fetch(`${gateway.baseUrl}/v1/usage`, {
      headers: { authorization: `Bearer ${rawKey}` },
    });
    expect(await usage.json()).toMatchObject({ totals: { requests: 0 } });
  });
});

describe.skipIf(!inject('ownRedis'))('a flood of refused requests', () => {
  const FLOOD = 3_000;
  const AT_ONCE = 20;
  /** The data plane's own, so that everything in it is its doing; the control plane uses 0. */
  const DATABASE = 1;
  const REPORT_MS = 3_000;

  it('a flood of refusals costs one Redis command each, few calls, and one database row', async () => {
    await using stack = new AsyncDisposableStack();
    const server = await startRedisServer();
    if (server === undefined) throw new Error('there was a redis-server a moment ago');
    stack.use(server);
    const gateway = stack.use(
      await startGateway({ dataPlanes: 0, defaultLimits: true, redisUrl: server.url }),
    );
    const redis = stack.use(await monitorRedis(server.port, DATABASE));
    const plane = await spawnDataPlane(gateway, 1_000, {
      REDIS_URL: `${server.url}/${DATABASE}`,
    });
    stack.defer(async () => {
      plane.child.kill('SIGTERM');
      await plane.exit;
    });
    const sql = stack.use(openSql(gateway.databaseUrl));
    const { rawKey, accountId } = await gateway.createKey();
    await until(async () => (await send(plane.baseUrl, rawKey, chatOf('sim/chat-free'))) === 429);
    await until(async () =>
      (await listOf(gateway, accountId)).requests.some(({ refused }) => refused !== null),
    );
    const first = (await listOf(gateway, accountId)).requests.find(({ refused }) => refused !== null);

    const reportsBefore = await reportsTo(gateway);
    expect(reportsBefore).toBeGreaterThan(0);
    const startedAtMs = performance.now();
    await redis.clear();
    let sent = 0;
    let others = 0;
    const worker = async () => {
      while (sent < FLOOD) {
        sent += 1;
        // The window moves on: now and then one of them is let through.
        if ((await send(plane.baseUrl, rawKey, chatOf('sim/chat-free'))) !== 429) others += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const commands = (await redis.commands()).length;
    const expected = (first?.refused?.count ?? 0) + sent - others;
    await until(async () => {
      const { requests } = await listOf(gateway, accountId);
      const counts = requests.flatMap(({ refused }) => refused?.count ?? []);
      return counts.reduce((total, count) => total + count, 0) === expected;
    });
    const tookMs = performance.now() - startedAtMs;
    expect(commands).toBeLessThanOrEqual(sent);
    // One report in three seconds, and one more where that was not answered in time.
    expect((await reportsTo(gateway)) - reportsBefore).toBeLessThanOrEqual(2 + (2 * tookMs) / REPORT_MS);
    // Two where the hour ends just now.
    const rows = await sql.rows('SELECT count FROM refused_requests');
    expect(rows.length).toBeLessThanOrEqual(2);
  });
});

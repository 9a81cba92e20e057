import { ControlPlaneClient, type ListHolderRequestsResponseMessage } from '@model-gateway/contracts';
import {
  chatBody,
  metricOf,
  postJson,
  startGateway,
  startOwnRedis,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { signedInOwner } from '@model-gateway/test-kit/signed-in-owner';
import { describe, expect, inject, it } from 'vitest';
import { monitorRedis } from '../limits/redis-monitor.ts';
import { spawnDataPlane } from './data-plane-process.ts';

const CALL_MS = 10_000;

type ReportQuery = Partial<{ keyId: string; modelId: string; limit: number; pageToken: string }>;

/** Lists the requests of an account as the dashboard does. */
async function listOf(
  gateway: TestGateway,
  accountId: string,
  asked: ReportQuery = {},
): Promise<ListHolderRequestsResponseMessage> {
  const addresses = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  const client = new ControlPlaneClient({ addresses, token: TEST_SECRETS.INTERNAL_TOKEN, tls: {} });
  try {
    const owner = await signedInOwner(gateway.databaseUrl, accountId);
    const period = { startMs: 0, endMs: Date.now() + 1 };
    const ask = { accountId, ...period, limit: 100, withRefused: true, ...asked };
    return await client.call(CALL_MS, 'dashboard', 'listHolderRequests', ask, undefined, owner);
  } finally {
    client.close();
  }
}

/** How many reports of refused requests the control plane has got. */
const reportsTo = ({ controlPlanes }: TestGateway) =>
  metricOf(controlPlanes[0], 'gateway_control_calls_total', { method: 'ReportRefusals' });

async function send(url: string, rawKey: string, body: object | string, path = '/v1/chat/completions') {
  const answer = await postJson(url, rawKey, path, body);
  await answer.arrayBuffer();
  return answer.status;
}

const chatOf = (model: string, more: object = {}) => chatBody({ model, max_tokens: 1, ...more });

describe.skipIf(!inject('ownRedis'))('a flood of refused requests', () => {
  const FLOOD = 3_000;
  const AT_ONCE = 20;
  /** The data plane's own, so that everything in it is its doing; the control plane uses 0. */
  const DATABASE = 1;
  const REPORT_MS = 3_000;

  it('a flood of refusals costs one Redis command each, few calls, and one database row', async () => {
    await using stack = new AsyncDisposableStack();
    const server = await startOwnRedis();
    stack.use(server);
    const gateway = stack.use(
      await startGateway({ dataPlanes: 0, defaultLimits: true, redisUrl: server.url }),
    );
    const redis = stack.use(await monitorRedis(server.port, DATABASE));
    const plane = stack.use(
      await spawnDataPlane(gateway, 1_000, {
        REDIS_URL: `${server.url}/${DATABASE}`,
      }),
    );
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

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Answer,
  chatBody,
  PROVIDER_CREDENTIAL,
  postJson,
  type RedisServer,
  readAll,
  type SharedGateway,
  spawnService,
  startGatewayWithKey,
  startOwnRedis,
  until,
} from '@model-gateway/test-kit';
import { startTcpProxy, type TcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { describe, expect, inject, it } from 'vitest';

interface Stage {
  gateway: SharedGateway;
  redis: RedisServer;
  controlPlane: TcpProxy;
}

/** The moment of the kill: what the test waits for after the provider has the request. */
const STEPS: [string, { simulate: object; stream?: boolean; reach(stage: Stage): Promise<void> }][] = [
  ['before its provider has answered', { simulate: { delay_ms: 5_000 }, reach: () => wait(200) }],
  [
    'in its stream, after a checkpoint',
    {
      stream: true,
      simulate: { token_delay_ms: 400, content: 'word '.repeat(40) },
      reach: ({ gateway }) =>
        until(async () => (await gateway.books.query('SELECT FROM usage_checkpoints')).length > 0),
    },
  ],
  [
    'after the answer, before its charge',
    {
      simulate: { delay_ms: 500 },
      reach: async ({ controlPlane, gateway }) => {
        controlPlane.stall();
        await gateway.provider.requests.at(-1)?.closed;
        await wait(300);
      },
    },
  ],
  [
    'after its charge, before the answer is stored',
    {
      simulate: { delay_ms: 500 },
      reach: async ({ gateway, redis }) => {
        redis.suspend();
        await until(async () => (await gateway.books.query('SELECT FROM usage_records')).length > 0);
      },
    },
  ],
];

describe.skipIf(!inject('ownRedis'))('a request with an Idempotency-Key whose process is killed', () => {
  it.each(STEPS)(
    '%s, is charged once: its retry continues it',
    async (_name, { reach, simulate, stream = false }) => {
      await using redis = await startOwnRedis();
      await using gateway = await startGatewayWithKey({ redisUrl: redis.url });
      const controlPlane = await startTcpProxy(gateway.controlPlanes[0]?.grpcPort ?? 0, '127.0.0.1');
      await using victim = await spawnService('data-plane', {
        CONTROL_PLANE_ADDRESS: `127.0.0.1:${controlPlane.port}`,
        SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
        REDIS_URL: redis.url,
      });
      const ready = `http://127.0.0.1:${victim.internalPort}/health/ready`;
      await until(async () => (await fetch(ready)).status === 200);
      const key = randomUUID();
      const body = chatBody({ model: 'sim/chat-pro', stream, simulate });
      const headers = { 'idempotency-key': key };
      const first = postJson(`http://127.0.0.1:${victim.port}`, gateway.rawKey, 'chat/completions', body, {
        headers,
      })
        .then(readAll)
        .catch(() => undefined);
      await gateway.provider.waitForRequest();
      await reach({ gateway, redis, controlPlane });
      victim.kill('SIGKILL');
      await victim.exit;
      await first;
      redis.resume();
      controlPlane.restore();
      const killedAtMs = performance.now();
      let retry: Answer | undefined;
      await until(async () => {
        retry = await gateway.ask('chat/completions', body, { headers });
        // 503: Redis counts as down until it is probed.
        return retry.status !== 409 && retry.status !== 503;
      });
      expect(retry?.status).toBe(200);
      expect(retry?.headers.get('idempotency-replayed')).toBeNull();
      expect(performance.now() - killedAtMs).toBeLessThan(60_000);
      expect(gateway.provider.requests).toHaveLength(2);
      const again = await gateway.ask('chat/completions', body, { headers });
      expect([again.status, again.body]).toEqual([200, retry?.body]);
      expect(again.headers.get('x-gateway-first-request-id')).toBe(retry?.headers.get('x-request-id'));
      // Until the money of the killed process is back.
      let pool: Awaited<ReturnType<typeof gateway.books.pools>>[number] | undefined;
      await until(async () => {
        [pool] = (await gateway.books.pools()).filter(({ charged }) => charged > 0n);
        const rows = await gateway.books.query('SELECT FROM usage_records WHERE NOT is_provisional');
        const allowances = await gateway.books.query('SELECT FROM allowances WHERE closed_at IS NULL');
        return rows.length > 0 && allowances.length <= 1;
      });
      const records = await gateway.books.query(
        'SELECT request_id, cost, charged, is_provisional FROM usage_records',
      );
      expect(records).toMatchObject([
        { request_id: retry?.headers.get('x-request-id'), is_provisional: false, charged: pool?.charged },
      ]);
      expect(records[0]?.cost).toBe(records[0]?.charged);
      expect(pool?.included).toBe((pool?.remaining ?? 0n) + (pool?.held ?? 0n) + (pool?.charged ?? 0n));
    },
  );
});

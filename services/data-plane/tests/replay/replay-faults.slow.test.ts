import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Answer,
  chatBody,
  PROVIDER_CREDENTIAL,
  postJson,
  readAll,
  spawnService,
  startGatewayWithKey,
  startOwnRedis,
  until,
} from '@model-gateway/test-kit';
import { lockTable } from '@model-gateway/test-kit/bounded-reads';
import { describe, expect, inject, it } from 'vitest';

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const errorOf = ({ body }: Answer) => JSON.parse(body).error;

describe.skipIf(!inject('ownRedis'))('a request with an Idempotency-Key', () => {
  it('gets 503 while Redis is away, and others go on; the cache is bypassed', async () => {
    await using redis = await startOwnRedis();
    await using gateway = await startGatewayWithKey({ redisUrl: redis.url });
    await gateway.chat({}, keyed('first'));
    redis.suspend();
    const answer = await gateway.chat({}, keyed(randomUUID()));
    expect([answer.status, errorOf(answer).code]).toEqual([503, 'overloaded']);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect((await gateway.chat()).status).toBe(200);
    const cached = await gateway.chat({}, { headers: { 'x-gateway-cache': 'read, write' } });
    expect([cached.status, cached.headers.get('x-gateway-cache')]).toEqual([200, 'bypass']);
    expect(gateway.provider.requests).toHaveLength(3);
    redis.resume();
    await until(async () => (await gateway.chat({}, keyed('first'))).status === 200);
    expect((await gateway.chat({}, keyed('first'))).headers.get('idempotency-replayed')).toBe('true');
  });

  it('whose answer cannot be stored is answered, and its retry continues it: one charge', async () => {
    await using redis = await startOwnRedis();
    await using gateway = await startGatewayWithKey({
      redisUrl: redis.url,
      overrides: { claims: { leaseMs: 2_000, renewEveryMs: 500 } },
    });
    const members = { model: 'sim/chat-pro', simulate: { delay_ms: 300 } };
    const running = gateway.chat(members, keyed('a'));
    await gateway.provider.waitForRequest();
    redis.suspend();
    const first = await running;
    expect(first.status).toBe(200);
    redis.resume();
    let retry: Answer | undefined;
    await until(async () => {
      retry = await gateway.chat(members, keyed('a'));
      return retry.status === 200;
    });
    expect(retry?.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'));
    expect(gateway.provider.requests).toHaveLength(2);
    await gateway.recordOf(first);
    expect(await gateway.books.query('SELECT FROM usage_records')).toHaveLength(1);
  });

  it('that was charged, but not stored, is not charged again after a retry that failed', async () => {
    await using redis = await startOwnRedis();
    await using gateway = await startGatewayWithKey({
      redisUrl: redis.url,
      overrides: { claims: { leaseMs: 2_000, renewEveryMs: 500 } },
    });
    const members = { model: 'sim/chat-pro', simulate: { delay_ms: 300 } };
    const retry = async () => {
      let answer = await gateway.chat(members, keyed('a'));
      await until(async () => {
        if (answer.status !== 409 && answer.status !== 503) return true;
        answer = await gateway.chat(members, keyed('a'));
        return false;
      });
      return answer;
    };
    const running = gateway.chat(members, keyed('a'));
    await gateway.provider.waitForRequest();
    redis.suspend();
    const first = await running;
    expect(first.status).toBe(200);
    await gateway.recordOf(first);
    redis.resume();
    gateway.provider.script({ status: 400, message: 'no' });
    expect((await retry()).status).toBe(400);
    const last = await retry();
    expect(last.status).toBe(200);
    expect(last.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'));
    expect((await retry()).body).toBe(last.body);
    expect(await gateway.books.query('SELECT FROM usage_records')).toHaveLength(1);
  });

  it('that is longer than its lease keeps it', async () => {
    await using redis = await startOwnRedis();
    await using gateway = await startGatewayWithKey({
      redisUrl: redis.url,
      overrides: { claims: { leaseMs: 1_000, renewEveryMs: 200 } },
    });
    const members = { simulate: { delay_ms: 3_000 } };
    const running = gateway.chat(members, keyed('a'));
    await gateway.provider.waitForRequest();
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < 2_500) {
      expect((await gateway.chat(members, keyed('a'))).status).toBe(409);
      await wait(20);
    }
    expect((await running).status).toBe(200);
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('that runs without its client ends before its data plane stops', async () => {
    await using redis = await startOwnRedis();
    await using gateway = await startGatewayWithKey({ redisUrl: redis.url });
    await using stopping = await spawnService('data-plane', {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[0]?.grpcPort}`,
      SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
      REDIS_URL: redis.url,
      DRAIN_TIMEOUT_MS: '20000',
    });
    const ready = `http://127.0.0.1:${stopping.internalPort}/health/ready`;
    await until(async () => (await fetch(ready)).status === 200);
    const body = chatBody({ model: 'sim/chat-pro', simulate: { delay_ms: 1_500 } });
    const left = new AbortController();
    const options = { ...keyed('a'), signal: left.signal };
    const first = postJson(
      `http://127.0.0.1:${stopping.port}`,
      gateway.rawKey,
      'chat/completions',
      body,
      options,
    )
      .then(readAll)
      .catch(() => undefined);
    await gateway.provider.waitForRequest();
    left.abort();
    await first;
    stopping.kill('SIGTERM');
    expect(await stopping.exit).toEqual([0, null]);
    const retry = await gateway.ask('chat/completions', body, keyed('a'));
    expect([retry.status, retry.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('gets its whole answer when its data plane stops while its charge cannot be committed', async () => {
    await using redis = await startOwnRedis();
    await using gateway = await startGatewayWithKey({ redisUrl: redis.url });
    await using stopping = await spawnService('data-plane', {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[0]?.grpcPort}`,
      SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
      REDIS_URL: redis.url,
      DRAIN_TIMEOUT_MS: '500',
    });
    const ready = `http://127.0.0.1:${stopping.internalPort}/health/ready`;
    await until(async () => (await fetch(ready)).status === 200);
    const body = chatBody({ model: 'sim/chat-pro', stream: true, simulate: { delay_ms: 500 } });
    const running = postJson(
      `http://127.0.0.1:${stopping.port}`,
      gateway.rawKey,
      'chat/completions',
      body,
      keyed('a'),
    );
    await gateway.provider.waitForRequest();
    {
      await using _lock = await lockTable(gateway, 'usage_records');
      const response = await running;
      stopping.kill('SIGTERM');
      expect((await readAll(response)).isBroken).toBe(false);
    }
    await stopping.exit;
  });
});

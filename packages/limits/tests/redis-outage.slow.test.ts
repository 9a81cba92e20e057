import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { type RedisServer, startRedisServer } from '@model-gateway/test-kit/redis';
import { until } from '@model-gateway/test-kit/until';
import { watchLag } from '@model-gateway/test-kit/watch-lag';
import { describe, expect, test } from 'vitest';
import {
  type Admission,
  COMMAND_TIMEOUT_MS,
  connectRedis,
  createLimiter,
  type PolicyRequest,
} from '../src/index.ts';
import { isAdmitted, request } from './requests.ts';
import { redisUrl } from './shared-redis.ts';

const BACK_WITHIN_MS = 5_000;
/** Less than two command timeouts in a row. The delay of timers on a busy machine is measured and added. */
const LONGEST_MS = 2 * COMMAND_TIMEOUT_MS - 50;
const REPLICAS = 3;

describe.skipIf(redisUrl === undefined)('while Redis is away', () => {
  test('a Redis that was killed costs no request, and one started again decides within 5 s', async ({
    skip,
  }) => {
    const server = await startRedisServer();
    if (server === undefined) return skip('there is no redis-server on the PATH');
    await using stack = new AsyncDisposableStack();
    const servers = { current: server };
    stack.defer(() => servers.current.stop());
    const gateway = stack.use(await startLimiter(server));
    await gateway.decidedByRedis();
    await server.stop();
    await expectFallback(gateway, 'killed');
    servers.current = await restarted(server.port);
    await expectBack(gateway, 'started again');
  });

  test('a Redis that hangs costs no request, and decides again within 5 s of waking', async ({ skip }) => {
    await using server = await startRedisServer();
    if (server === undefined) return skip('there is no redis-server on the PATH');
    await using gateway = await startLimiter(server);
    await gateway.decidedByRedis();
    server.suspend();
    await expectFallback(gateway, 'hanging');
    await gateway.load(2_500);
    server.resume();
    await expectBack(gateway, 'awake again');
  });

  test('a process that starts without Redis finds it later', async ({ skip }) => {
    const gone = await startRedisServer();
    if (gone === undefined) return skip('there is no redis-server on the PATH');
    await gone.stop();
    await using gateway = await startLimiter(gone);
    await expectFallback(gateway, 'not there yet');
    await using _server = await restarted(gone.port);
    await expectBack(gateway, 'there at last');
  });
});

type Gateway = Awaited<ReturnType<typeof startLimiter>>;

async function startLimiter({ url }: RedisServer) {
  let failures = 0;
  const connection = connectRedis({ url });
  await connection.whenReady(1_000);
  const limiter = createLimiter({
    connection,
    expectedReplicas: REPLICAS,
    isTrusted: () => true,
    hooks: {
      onRedisFailure: () => {
        failures += 1;
      },
    },
  });
  let admissions: Admission[] = [];
  let longestMs = 0;
  const loopDelay = monitorEventLoopDelay({ resolution: 5 });
  loopDelay.enable();
  const ask = async (policies?: PolicyRequest[]): Promise<Admission> => {
    const startedAt = performance.now();
    const admission = await limiter.admit(
      request({ policies: policies ?? [{ name: 'key', bucket: 'load', limit: 1_000_000 }] }),
    );
    const tookMs = performance.now() - startedAt;
    longestMs = Math.max(longestMs, tookMs);
    admissions.push(admission);
    return admission;
  };
  const gateway = {
    limiter,
    ask,
    /** On a slow machine Redis itself may answer a command too late now and then. */
    async decidedByRedis(): Promise<void> {
      await until(async () => {
        await gateway.load(500);
        return gateway.stores().join() === 'redis';
      });
    },
    /** Sends ten requests every 10 ms. The numbers are about the last such stretch of time. */
    async load(forMs: number): Promise<void> {
      admissions = [];
      longestMs = 0;
      loopDelay.reset();
      const end = performance.now() + forMs;
      const running: Promise<Admission>[] = [];
      while (performance.now() < end) {
        for (let count = 0; count < 10; count += 1) running.push(ask());
        await wait(10);
      }
      await Promise.all(running);
    },
    stores: () => [...new Set(admissions.map(({ decidedBy }) => decidedBy))],
    /** On a busy machine, each step of an answer may be as late as this thread was at its worst moment. */
    allowedMs: (longestMs = LONGEST_MS) => longestMs + (20 * Math.max(0, loopDelay.max)) / 1e6,
    numbers: () => ({ asked: admissions.length, longestMs: Math.round(longestMs), failures }),
    async [Symbol.asyncDispose]() {
      loopDelay.disable();
      limiter.close();
      connection.close();
    },
  };
  return gateway;
}

/** Expects that no call throws, none is slow, and each limit is a third of the configured one. */
async function expectFallback(gateway: Gateway, state: string): Promise<void> {
  await gateway.load(1_500);
  console.info(`Redis ${state}: ${JSON.stringify(gateway.numbers())}`);
  expect(gateway.limiter.isRedisHealthy).toBe(false);
  expect(gateway.numbers().longestMs).toBeLessThan(gateway.allowedMs());
  const admissions = await Promise.all(
    Array.from({ length: 100 }, () => gateway.ask([{ name: 'key', bucket: 'small', limit: 31 }])),
  );
  expect(admissions.filter(isAdmitted)).toHaveLength(Math.ceil(31 / REPLICAS));
  await gateway.load(200);
  expect(gateway.stores()).toEqual(['memory']);
  expect(gateway.numbers().longestMs).toBeLessThan(gateway.allowedMs(COMMAND_TIMEOUT_MS));
}

async function expectBack(gateway: Gateway, state: string): Promise<void> {
  const startedAt = performance.now();
  using lag = watchLag();
  let longestMs = 0;
  while (!gateway.limiter.isRedisHealthy) {
    await gateway.load(50);
    longestMs = Math.max(longestMs, gateway.numbers().longestMs);
    expect(gateway.numbers().longestMs).toBeLessThan(gateway.allowedMs());
    expect(performance.now() - startedAt).toBeLessThan(BACK_WITHIN_MS + lag.allowanceMs());
  }
  const backAfterMs = performance.now() - startedAt;
  console.info(`Redis ${state}: decides after ${backAfterMs.toFixed(0)} ms, longest answer ${longestMs} ms`);
  await gateway.decidedByRedis();
}

async function restarted(port: number): Promise<RedisServer> {
  const server = await startRedisServer({ port });
  if (server === undefined) throw new Error('redis-server is gone');
  return server;
}

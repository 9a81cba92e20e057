import { setTimeout as wait } from 'node:timers/promises';
import { postJson, startGateway, startOwnRedis, type TestGateway, until } from '@model-gateway/test-kit';
import { startTcpProxy, type TcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { keysOnOneTeam } from '../limits/limited-chat.ts';
import { monitorRedis, type RedisMonitor } from '../limits/redis-monitor.ts';
import { createRuledKey } from '../limits/ruled-key.ts';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { type GrpcCallCounter, startGrpcCallCounter } from '../process/grpc-call-counter.ts';

/** The data plane's own, so that everything in it is its doing; the control plane uses 0. */
const DATABASE = 1;

/**
 * Counts the calls that a request makes. Nothing is left out of the commands to Redis; of the control plane,
 * only what goes over the three streams that are open already (key watch, catalog watch, settlement) is no
 * call.
 */
describe.skipIf(!inject('ownRedis'))('a gateway in the steady state', () => {
  const stack = new AsyncDisposableStack();
  let gateway: TestGateway;
  let baseUrl: string;
  let redis: RedisMonitor;
  /** In front of the control plane; behind it, so that it can be stalled, a second proxy. */
  let calls: GrpcCallCounter;
  let controlPlane: TcpProxy;
  let keys: string[];

  beforeAll(async () => {
    const server = await startOwnRedis();
    stack.use(server);
    gateway = stack.use(await startGateway({ dataPlanes: 0, redisUrl: server.url }));
    controlPlane = stack.use(await startTcpProxy(gateway.controlPlanes[0]?.grpcPort ?? 0, '127.0.0.1'));
    calls = stack.use(await startGrpcCallCounter(controlPlane.port));
    redis = stack.use(await monitorRedis(server.port, DATABASE));
    const plane = stack.use(
      await spawnDataPlane(gateway, 1_000, {
        REDIS_URL: `${server.url}/${DATABASE}`,
        CONTROL_PLANE_ADDRESS: `127.0.0.1:${calls.port}`,
      }),
    );
    baseUrl = plane.baseUrl;
    // Two limits apply to a key on a team seat, in one decision.
    keys = [(await gateway.createKey()).rawKey, ...(await keysOnOneTeam(gateway, 1, 1_000_000))];
    // Now it is steady: streams to the control plane are open, the keys and the script are known.
    for (const rawKey of keys) {
      await until(async () => (await send(rawKey, 'chat', 'free')) === 200);
      for (const capability of Object.keys(ROUTES) as Capability[]) await send(rawKey, capability, 'pro');
    }
    await until(async () => {
      const before = calls.calls;
      await wait(300);
      return calls.calls === before;
    });
  });
  afterAll(() => stack.disposeAsync());

  async function send(rawKey: string, capability: Capability, tier: string, more = {}): Promise<number> {
    const [path, fields] = ROUTES[capability];
    const response = await postJson(baseUrl, rawKey, path, {
      model: `sim/${capability}-${tier}`,
      ...fields,
      ...more,
    });
    await response.arrayBuffer();
    return response.status;
  }

  it.each([
    ['chat', 'free', 200, 0],
    ['embed', 'free', 100, 0],
    // Money is fetched beside the requests, for many of them at once.
    ['chat', 'pro', 200, 0.1],
    ['embed', 'pro', 100, 0.1],
  ] as const)(
    'a request sends one command to Redis and waits for no call to the control plane (%s, %s)',
    async (capability, tier, requests, callsPerRequest) => {
      // A control plane that is so far behind that its word on the keys is too old is asked for it: that is
      // no steady state, and passes. A command to Redis is never sent twice.
      await until(async () => {
        const callsBefore = calls.calls;
        await redis.clear();
        for (let sent = 0; sent < requests; sent++) {
          const rawKey = keys[sent % keys.length] ?? '';
          expect(await send(rawKey, capability, tier)).toBe(200);
        }
        expect(await redis.commands()).toEqual(Array.from({ length: requests }, () => 'EVALSHA'));
        return calls.calls - callsBefore <= callsPerRequest * requests;
      });
    },
  );

  it('a request of every other capability sends one command to Redis', async () => {
    // Repeated where the control plane is far behind, as above.
    await until(async () => {
      const callsBefore = calls.calls;
      await redis.clear();
      for (const capability of ['rerank', 'image', 'speech'] as const) {
        expect(await send(keys[0] ?? '', capability, 'free')).toBe(200);
      }
      const callsOfFree = calls.calls - callsBefore;
      for (const capability of ['rerank', 'image', 'speech'] as const) {
        expect(await send(keys[0] ?? '', capability, 'pro')).toBe(200);
      }
      expect(await redis.commands()).toEqual(Array.from({ length: 6 }, () => 'EVALSHA'));
      return callsOfFree === 0;
    });
  });

  it('a limit of tokens adds no command to requests, and corrects what waits for none ten times a second', async () => {
    const ruled = await Promise.all(
      Array.from({ length: 10 }, () =>
        createRuledKey(gateway, { tokens_per_minute: 1_000_000, requests_per_minute: 100_000 }),
      ),
    );
    for (const { rawKey } of ruled) await until(async () => (await send(rawKey, 'chat', 'free')) === 200);
    await wait(500);
    await redis.clear();
    const startedAtMs = performance.now();
    for (let sent = 0; sent < 200; sent++)
      expect(await send(ruled[sent % ruled.length]?.rawKey ?? '', 'chat', 'free')).toBe(200);
    await wait(500);
    const flushes = Math.ceil((performance.now() - startedAtMs) / 100);
    const commands = await redis.commands();
    expect(new Set(commands)).toEqual(new Set(['EVALSHA']));
    console.info(`200 requests with a limit of tokens: ${commands.length} commands in ${flushes * 100} ms`);
    expect(commands.length).toBeGreaterThan(200);
    expect(commands.length).toBeLessThanOrEqual(200 + flushes);
  });

  it('a stream sends one more command to Redis, which frees its slot', async () => {
    // Every ten seconds one more says that the streams of that moment run on.
    await until(async () => {
      const callsBefore = calls.calls;
      await redis.clear();
      for (let sent = 0; sent < 20; sent++) {
        expect(await send(keys[0] ?? '', 'chat', 'free', { stream: true })).toBe(200);
      }
      // The place of the last one is freed after its answer, and must not count in the next round.
      const freed = async () => (await redis.commands()).filter((name) => name === 'ZREM').length;
      await until(async () => (await freed()) >= 20);
      expect(await freed()).toBe(20);
      const commands = await redis.commands();
      return commands.length === 40 && calls.calls === callsBefore;
    });
  });

  it('a silent control plane delays no request', async () => {
    const timed = async (index: number) => {
      const sentAtMs = performance.now();
      const status = await send(keys[index % keys.length] ?? '', 'chat', index % 3 ? 'free' : 'pro');
      return { status, tookMs: performance.now() - sentAtMs };
    };
    const plain: number[] = [];
    for (let sent = 0; sent < 20; sent++) {
      const { status, tookMs } = await timed(sent);
      expect(status).toBe(200);
      plain.push(tookMs);
    }
    await until(async () => {
      const tookMs: number[] = [];
      controlPlane.stall();
      try {
        const stalledAtMs = performance.now();
        while (performance.now() - stalledAtMs < 1_000) {
          const answer = await timed(tookMs.length);
          // A confirmation of a key lasts 3 s. On a busy machine it may be nearly over when the stall begins.
          if (answer.status === 503) return false;
          expect(answer.status).toBe(200);
          tookMs.push(answer.tookMs);
        }
      } finally {
        controlPlane.restore();
      }
      // A look-up would be waited for 250 ms before the key is taken from the cache.
      expect(medianOf(tookMs)).toBeLessThan(125 + 2 * medianOf(plain));
      return true;
    });
  });

  it('a new key makes a call, which proves that the counters count', async () => {
    const callsBefore = calls.calls;
    await redis.clear();
    const { rawKey } = await gateway.createKey();
    await until(async () => (await send(rawKey, 'chat', 'free')) === 200);
    expect(calls.calls - callsBefore).toBeGreaterThanOrEqual(1);
    expect(await redis.commands()).toEqual(['EVALSHA']);
  });
});

function medianOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

type Capability = keyof typeof ROUTES;

const ROUTES = {
  chat: ['chat/completions', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }],
  embed: ['embeddings', { input: 'hi' }],
  rerank: ['rerank', { query: 'hi', documents: ['hi', 'ho'] }],
  image: ['images/generations', { prompt: 'hi' }],
  speech: ['audio/speech', { input: 'hi', voice: 'alloy' }],
} as const satisfies Record<string, readonly [path: string, fields: object]>;

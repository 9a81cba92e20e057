import { expect, test } from 'vitest';
import { request } from '../tests/requests.ts';
import { FallbackLimiter } from './fallback-limiter.ts';
import { KnownFull } from './known-full.ts';
import type { Admission, AdmissionRequest, Limiter, Peek, PeekRequest, TakenTokens } from './limiter.ts';
import { MemoryLimiter } from './memory/memory-limiter.ts';
import { RedisTimeoutError } from './redis/deadline.ts';
import type { RedisNodes } from './redis/redis-nodes.ts';

/** Stands for Redis: it does what it is asked, but does not always answer. */
class UnreliableStore implements Limiter {
  readonly #memory = new MemoryLimiter();
  readonly asked: AdmissionRequest[] = [];
  /** Errors of the next calls; undefined for a call that succeeds. */
  errors: (Error | undefined)[] = [];
  isAway = false;
  /** Hash tags with this end get no answer. */
  silentFor = 'none';

  async admit(request: AdmissionRequest): Promise<Admission> {
    this.asked.push(request);
    if (this.isAway) throw new Error('away');
    if (request.hashTag.endsWith(this.silentFor)) throw new RedisTimeoutError();
    const admission = await this.#memory.admit(request);
    const error = this.errors.shift();
    if (error) throw error;
    if (admission.outcome !== 'admitted') return { ...admission, decidedBy: 'redis' };
    const tokens: TakenTokens | undefined = admission.tokens && { ...admission.tokens, countedBy: 'redis' };
    return { ...admission, tokens, decidedBy: 'redis' };
  }

  async peek(request: PeekRequest): Promise<Peek> {
    if (this.isAway) throw new Error('away');
    const peek = await this.#memory.peek(request);
    const error = this.errors.shift();
    if (error) throw error;
    return { ...peek, decidedBy: 'redis' };
  }

  async releaseStream(): Promise<void> {
    if (this.isAway) throw new Error('away');
  }

  async heartbeatStreams(): Promise<void> {
    if (this.isAway) throw new Error('away');
  }

  correctTokens(taken: TakenTokens, used: number): void {
    this.#memory.correctTokens(taken, used);
  }
}

/** Node `a` or `b` by the last letter of the hash tag, as in a cluster. */
function twoNodes(): RedisNodes & { replaced: string[] } {
  const replaced: string[] = [];
  return {
    replaced,
    nodeOf: (hashTag) => (hashTag.endsWith('b') ? 'b' : 'a'),
    hashTagOn: (node) => `probe-${node}`,
    reconnect: (node) => void replaced.push(node),
  };
}

function fallback() {
  const redis = new UnreliableStore();
  const nodes = twoNodes();
  const changes: boolean[] = [];
  let failures = 0;
  const limiter = new FallbackLimiter({
    redis,
    memory: new MemoryLimiter(),
    knownFull: new KnownFull({ isTrusted: () => true }),
    expectedReplicas: 3,
    nodes,
    probeIntervalMs: 20,
    hooks: {
      onHealthChange: (isRedisHealthy) => void changes.push(isRedisHealthy),
      onRedisFailure: () => {
        failures += 1;
      },
    },
  });
  return { redis, limiter, nodes, changes, failures: () => failures };
}

test('a call that Redis did not answer is decided in memory, not repeated', async () => {
  const { redis, limiter, failures } = fallback();
  redis.errors = [new RedisTimeoutError()];
  expect(await limiter.admit(request())).toMatchObject({ decidedBy: 'memory' });
  expect(redis.asked).toHaveLength(1);
  expect(failures()).toBe(1);
});

test('a call that failed otherwise is decided in memory at once', async () => {
  const { redis, limiter, failures } = fallback();
  redis.errors = [new Error('READONLY')];
  expect(await limiter.admit(request())).toMatchObject({ decidedBy: 'memory' });
  expect(redis.asked).toHaveLength(1);
  expect(failures()).toBe(1);
  expect(limiter.isRedisHealthy).toBe(true);
});

test('after five failures in a row Redis gets only probes, until one succeeds', async () => {
  const { redis, limiter, changes } = fallback();
  redis.isAway = true;
  const lease = { requestId: 'a', hashTag: 'key-1', bucket: 'streams' };
  for (let asked = 0; asked < 4; asked += 1) await limiter.admit(request());
  expect(limiter.isRedisHealthy).toBe(true);
  await limiter.releaseStream(lease);
  expect(limiter.isRedisHealthy).toBe(false);
  const calls = redis.asked.length;
  for (let asked = 0; asked < 50; asked += 1) await limiter.admit(request());
  await limiter.heartbeatStreams([lease]);
  expect(redis.asked).toHaveLength(calls);
  await expect.poll(() => redis.asked.length).toBeGreaterThan(calls);
  expect(redis.asked.slice(calls).every(({ hashTag }) => hashTag === 'probe-a')).toBe(true);
  redis.isAway = false;
  await expect.poll(() => limiter.isRedisHealthy).toBe(true);
  expect(changes).toEqual([false, true]);
  expect(await limiter.admit(request())).toMatchObject({ decidedBy: 'redis' });
});

test('while one node of a cluster is down, only its keys are decided in memory, and its connection is replaced', async () => {
  const { redis, limiter, nodes, changes } = fallback();
  redis.silentFor = 'b';
  const decidedBy = async (hashTag: string) => {
    const admission = await limiter.admit(request({ hashTag }));
    return admission.decidedBy;
  };
  // Requests on the other node in between do not hide that this one is down.
  for (let asked = 0; asked < 5; asked += 1) {
    expect([await decidedBy('key-b'), await decidedBy('key-a')]).toEqual(['memory', 'redis']);
  }
  expect(limiter.isRedisHealthy).toBe(false);
  const calls = redis.asked.length;
  expect([await decidedBy('other-b'), await decidedBy('other-a')]).toEqual(['memory', 'redis']);
  expect(redis.asked.slice(calls).map(({ hashTag }) => hashTag)).toEqual(['other-a']);
  await expect.poll(() => nodes.replaced).toContain('b');
  redis.silentFor = 'none';
  await expect.poll(() => decidedBy('key-b')).toBe('redis');
  expect(changes).toEqual([false, true]);
});

test('keys of a lost node are decided in Redis again as soon as another node has their slots', async () => {
  const { redis, limiter, nodes, changes } = fallback();
  redis.silentFor = 'b';
  for (let asked = 0; asked < 5; asked += 1) await limiter.admit(request({ hashTag: 'key-b' }));
  redis.silentFor = 'probe-b';
  nodes.nodeOf = () => 'a';
  expect(await limiter.admit(request({ hashTag: 'key-b' }))).toMatchObject({ decidedBy: 'redis' });
  nodes.hashTagOn = (node) => (node === 'b' ? undefined : 'probe-a');
  await expect.poll(() => limiter.isRedisHealthy).toBe(true);
  expect(changes).toEqual([false, true]);
});

test('failures that are not one after the other leave Redis in charge', async () => {
  const { redis, limiter } = fallback();
  for (let round = 0; round < 5; round += 1) {
    redis.errors = [new Error('lost'), new Error('lost'), undefined];
    for (let asked = 0; asked < 3; asked += 1) await limiter.admit(request());
  }
  expect(limiter.isRedisHealthy).toBe(true);
});

test('in memory every limit is this process’ share, rounded up', async () => {
  const { redis, limiter } = fallback();
  redis.isAway = true;
  expect(
    await limiter.admit(
      request({
        policies: [
          { name: 'key', bucket: 'free', limit: 100 },
          { name: 'team', bucket: 'team', limit: 1 },
        ],
        stream: { bucket: 'streams', limit: 10 },
      }),
    ),
  ).toMatchObject({ policies: [{ limit: 34 }, { limit: 1 }], stream: { limit: 4, remaining: 3 } });
});

test("what a limit leaves is read from Redis, or without it from this process's share in memory", async () => {
  const { redis, limiter } = fallback();
  const policies = [{ name: 'key' as const, bucket: 'free', limit: 9 }];
  await limiter.admit(request({ policies }));
  expect(await limiter.peek({ hashTag: 'key-1', policies })).toMatchObject({
    decidedBy: 'redis',
    policies: [{ limit: 9, remaining: 8 }],
  });
  redis.isAway = true;
  expect(await limiter.peek({ hashTag: 'key-1', policies })).toMatchObject({
    decidedBy: 'memory',
    policies: [{ limit: 3, remaining: 3 }],
  });
});

test('streams that began with Redis count in memory when it goes away', async () => {
  const { redis, limiter } = fallback();
  const open = () => limiter.admit(request({ policies: [], stream: { bucket: 'streams', limit: 3 } }));
  expect(await open()).toMatchObject({ outcome: 'admitted', decidedBy: 'redis' });
  redis.isAway = true;
  expect(await open()).toMatchObject({ outcome: 'refused', by: 'streams', decidedBy: 'memory' });
});

test('tokens are corrected in the store that counted them, and memory takes its share of their limit', async () => {
  const { redis, limiter } = fallback();
  const take = async () => {
    const admission = await limiter.admit(
      request({
        policies: [],
        tokenPolicies: [{ name: 'key-tokens', bucket: 'tokens', limit: 900 }],
        estimate: { fixed: 200, flexible: 0 },
      }),
    );
    if (admission.outcome !== 'admitted' || admission.tokens === undefined) throw new Error('not admitted');
    return { left: admission.tokenPolicies[0]?.remaining, tokens: admission.tokens };
  };
  const inRedis = await take();
  expect(inRedis.left).toBe(700);
  redis.isAway = true;
  const inMemory = await take();
  expect(inMemory.left).toBe(100);
  limiter.correctTokens(inRedis.tokens, 50);
  limiter.correctTokens(inMemory.tokens, 0);
  expect((await take()).left).toBe(100);
  redis.isAway = false;
  expect((await take()).left).toBe(650);
});

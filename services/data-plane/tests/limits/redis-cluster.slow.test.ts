import { connectRedis, createLimiter, ExpiringValues } from '@model-gateway/limits';
import { type RedisServer, startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { startTcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { burst, chat, keysOnOneTeam, sum, useEverywhere } from './limited-chat.ts';
import { moveSlot, onNode, slotOf } from './move-slot.ts';
import { createRuledKey } from './ruled-key.ts';
import { type RedisCluster, shardOfSlot, startRedisCluster } from './start-redis-cluster.ts';

/** Long enough for a machine that is too busy for Redis, a data plane and this process. */
const STARVED_MS = 240_000;
const PLANES = 2;

describe.skipIf(!inject('ownRedis'))('a gateway with a Redis Cluster', () => {
  const stack = new AsyncDisposableStack();
  let cluster: RedisCluster;
  let gateway: TestGateway;

  beforeAll(async () => {
    const started = await startRedisCluster();
    if (started === undefined) throw new Error('there was a redis-server a moment ago');
    cluster = stack.use(started);
    gateway = stack.use(
      await startGateway({ defaultLimits: true, dataPlanes: PLANES, redisUrl: cluster.url }),
    );
  });
  afterAll(() => stack.disposeAsync());

  it('a burst lets exactly 60 requests of each key through, whichever shard counts them', async () => {
    const keys = await Promise.all(Array.from({ length: 3 }, () => gateway.createKey()));
    for (const { rawKey } of keys) {
      const used = await useEverywhere(gateway, rawKey);
      expect(used + sum(await burst(gateway, [rawKey], 90))).toBe(60);
    }
    const logs = await keysPerShard('gateway:log:*');
    expect(sum(logs)).toBe(keys.length);
    // The cluster counted, not memory.
    expect(gateway.logText()).not.toContain('limits are counted in memory');
  });

  it('keys on seats of a team share its limit', async () => {
    const keys = await keysOnOneTeam(gateway, 3, 50);
    const used = await Promise.all(keys.map((rawKey) => useEverywhere(gateway, rawKey)));
    expect(sum(used) + sum(await burst(gateway, keys, 90))).toBe(50);
    const refused = await chat(gateway, keys[0] ?? '');
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain('the team of this API key is 50 requests');
  });

  it('tokens of each key are counted by one shard, and corrected there', async () => {
    const keys = await Promise.all(
      Array.from({ length: 6 }, () => createRuledKey(gateway, { tokens_per_minute: 3_000 })),
    );
    for (const { rawKey } of keys) {
      const used = await useEverywhere(gateway, rawKey);
      const answers = await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const body = { max_tokens: 700, simulate: { delay_ms: 3_000 } };
          const response = await chat(gateway, rawKey, { plane: index % PLANES, body });
          await response.arrayBuffer();
          return response.status;
        }),
      );
      expect(used).toBe(PLANES);
      expect(answers.toSorted()).toEqual([...Array(3).fill(200), ...Array(7).fill(429)]);
      await until(async () => (await chat(gateway, rawKey, { body: { max_tokens: 2_000 } })).status === 200);
    }
    expect(Math.min(...(await keysPerShard('gateway:tokens:*')))).toBeGreaterThan(0);
    expect(gateway.logText()).not.toContain('limits are counted in memory');
  });

  it('a key has at most ten streams', async () => {
    const { rawKey } = await gateway.createKey();
    const open = (plane: number) =>
      chat(gateway, rawKey, { plane, body: { stream: true, simulate: { hang: { after_events: 1 } } } });
    const opened = await Promise.all(Array.from({ length: 12 }, (_, index) => open(index % PLANES)));
    expect(opened.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 429, 429]);
    await Promise.all(opened.map(({ body }) => body?.cancel()));
  });

  it('a revoked key is refused on the very next request', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => gateway.createKey()));
    for (const { id, rawKey } of keys) {
      await useEverywhere(gateway, rawKey);
      await gateway.revokeKey(id);
      for (let plane = 0; plane < PLANES; plane++) {
        expect((await chat(gateway, rawKey, { plane })).status).toBe(401);
      }
    }
  });

  it('a revoked key is refused by a data plane that no control plane reaches, and others are served', async () => {
    await using controlPlane = await startTcpProxy(gateway.controlPlanes[0]?.grpcPort ?? 0, '127.0.0.1');
    await using lonely = await spawnDataPlane(gateway, 0, {
      REDIS_URL: cluster.url,
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${controlPlane.port}`,
    });
    const [good, ...revoked] = await Promise.all(Array.from({ length: 4 }, () => gateway.createKey()));
    const there: TestGateway = { ...gateway, urlOf: () => lonely.baseUrl };
    const status = async (rawKey = '') => (await chat(there, rawKey)).status;
    /**
     * Returns what decided the request; undefined while neither a control plane nor Redis answers in time.
     */
    const decided = async (rawKey = '') => {
      let last = 503;
      await until(async () => {
        last = await status(rawKey);
        return last !== 503;
      }, STARVED_MS);
      return last;
    };
    for (const key of [good, ...revoked]) await until(async () => (await status(key?.rawKey)) === 200);
    controlPlane.stall();
    await Promise.all(revoked.map(({ id }) => gateway.revokeKey(id)));
    for (const { rawKey } of revoked) expect(await decided(rawKey)).toBe(401);
    expect(await decided(good?.rawKey)).toBe(200);
  });

  it('other slots are counted and stored in Redis while one slot moves to another shard', async () => {
    const redis = connectRedis({ url: cluster.url });
    const limiter = createLimiter({
      connection: redis,
      expectedReplicas: PLANES,
      isTrusted: () => false,
    });
    const values = new ExpiringValues(redis, { ttlMs: STARVED_MS, maxBytesOfOwner: 1_000 });
    try {
      await redis.whenReady(STARVED_MS);
      const decidedBy = async (hashTag: string) => {
        const policies = [{ name: 'key', bucket: 'requests', limit: 1_000 }] as const;
        const requestId = crypto.randomUUID();
        return (await limiter.admit({ requestId, hashTag, policies, revokedKeyId: hashTag })).decidedBy;
      };
      const isStored = async (owner: string) => {
        const value = { name: values.nameOf(owner, crypto.randomUUID()), bytes: Buffer.from('kept') };
        const problem = await values.save(owner, [value]).catch((error: unknown) => error);
        return problem === undefined;
      };
      const [from, to] = cluster.shards;
      if (from === undefined || to === undefined) throw new Error('there are two shards');
      const moving = await tagOnFirstShard(from);
      const isThere = async () => (await decidedBy(moving)) === 'redis' && (await isStored(moving));
      await until(isThere, STARVED_MS);
      await moveSlot(await slotOf(from, moving), from, to, async () => {
        for (let request = 0; request < 10; request++) {
          expect(await decidedBy(moving)).toBe('memory');
          expect(await isStored(moving)).toBe(false);
        }
        // One may come too late on a busy machine. A process that has given Redis up asks it again after a
        // second.
        expect([await decidedBy('another'), await decidedBy('another')]).toContain('redis');
        expect([await isStored('another'), await isStored('another')]).toContain(true);
      });
      await until(isThere, STARVED_MS);
    } finally {
      values.close();
      limiter.close();
      redis.close();
    }
  });

  async function tagOnFirstShard(node: RedisServer): Promise<string> {
    for (let candidate = 0; ; candidate++) {
      const tag = `moving-${candidate}`;
      if (shardOfSlot(await slotOf(node, tag), cluster.shards.length) === 0) return tag;
    }
  }

  async function keysPerShard(pattern: string): Promise<number[]> {
    return Promise.all(
      cluster.shards.map((shard) => onNode(shard, async (client) => (await client.keys(pattern)).length)),
    );
  }
});

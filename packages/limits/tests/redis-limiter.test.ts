import { startRedisServer } from '@model-gateway/test-kit/redis';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import {
  type AdmissionRequest,
  type PolicyRequest,
  type RedisConnection,
  RedisLimiter,
} from '../src/index.ts';
import { isAdmitted, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const BURST = 1_000;

describe.skipIf(redisUrl === undefined)('the Redis limiter', () => {
  test('admits exactly the limit of a burst from four processes', async () => {
    const keyPrefix = ownPrefix();
    using stack = new DisposableStack();
    const limiters: RedisLimiter[] = [];
    for (let process = 0; process < 4; process += 1)
      limiters.push(new RedisLimiter(stack.use(await connect()), { keyPrefix }));
    const startedAt = performance.now();
    const admissions = await Promise.all(
      Array.from({ length: BURST }, (_, index) =>
        limiters[index % 4]?.admit(
          request({
            policies: [
              { name: 'key', bucket: 'paid', limit: 100 },
              { name: 'team', bucket: 'team', limit: 600 },
            ],
          }),
        ),
      ),
    );
    const elapsedMs = performance.now() - startedAt;
    const admitted = admissions.filter((admission) => admission?.outcome === 'admitted').length;
    console.info(`${BURST} concurrent requests: ${admitted} admitted, ${elapsedMs.toFixed(0)} ms in all`);
    expect(admitted).toBe(100);
    expect(new Set(admissions.map((admission) => admission?.outcome))).toEqual(
      new Set(['admitted', 'refused']),
    );
  });

  test('takes nothing of any limit when one of them refuses', async () => {
    using connection = await connect();
    const limiter = new RedisLimiter(connection, { keyPrefix: ownPrefix() });
    const policies: PolicyRequest[] = [
      { name: 'key', bucket: 'free', limit: 50 },
      { name: 'team', bucket: 'team', limit: 7 },
    ];
    const stream = { bucket: 'streams', limit: 20 };
    const admissions = await Promise.all(
      Array.from({ length: 40 }, () => limiter.admit(request({ policies, stream }))),
    );
    expect(admissions.filter(isAdmitted)).toHaveLength(7);
    expect(await limiter.admit(request({ policies, stream }))).toMatchObject({
      outcome: 'refused',
      by: 'team',
      policies: [{ remaining: 43 }, { remaining: 0 }],
      stream: { remaining: 13 },
    });
  });

  test('recognises a request that is asked for twice at once', async () => {
    using connection = await connect();
    const limiter = new RedisLimiter(connection, { keyPrefix: ownPrefix() });
    const repeated = request({ stream: { bucket: 'streams', limit: 1 } });
    const admissions = await Promise.all(Array.from({ length: 5 }, () => limiter.admit(repeated)));
    expect(admissions.every(isAdmitted)).toBe(true);
    expect(await limiter.admit(repeated)).toMatchObject({
      outcome: 'admitted',
      policies: [{ remaining: 2 }],
      stream: { remaining: 0 },
    });
  });

  test('four processes never take more tokens than the limit, and what was not used is free again', async () => {
    const keyPrefix = ownPrefix();
    using stack = new DisposableStack();
    const limiters: RedisLimiter[] = [];
    for (let process = 0; process < 4; process += 1)
      limiters.push(new RedisLimiter(stack.use(await connect()), { keyPrefix }));
    const tokenPolicies = [{ name: 'key-tokens' as const, bucket: 'tokens', limit: 10_000 }];
    const asked = () => request({ policies: [], tokenPolicies, estimate: { fixed: 90, flexible: 0 } });
    const burst = async () => {
      const admissions = await Promise.all(
        Array.from({ length: BURST }, async (_, index) => {
          const limiter = limiters[index % 4];
          return { limiter, admission: await limiter?.admit(asked()) };
        }),
      );
      return admissions.flatMap(({ limiter, admission }) =>
        admission?.outcome === 'admitted' && admission.tokens ? [{ limiter, tokens: admission.tokens }] : [],
      );
    };
    const used = async () => 10_000 - ((await limiters[0]?.peek(asked()))?.tokenPolicies[0]?.remaining ?? 0);
    const first = await burst();
    expect(first).toHaveLength(111);
    expect(await used()).toBe(9_990);
    for (const { limiter, tokens } of first) limiter?.correctTokens(tokens, 40);
    const second = await burst();
    // The corrections of the other processes may come a moment later.
    while ((await used()) !== 111 * 40 + 90 * second.length)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(second.length + (await burst()).length).toBe(Math.floor((10_000 - 111 * 40) / 90));
  });

  test('sends corrections with decisions, and all others with one command', async ({ skip }) => {
    await using server = await startRedisServer();
    if (server === undefined) return skip('there is no redis-server on the PATH');
    using connection = await connect(server.url);
    const limiter = new RedisLimiter(connection);
    const admit = async (key: number) => {
      const admission = await limiter.admit(
        request({
          hashTag: `key-${key}`,
          policies: [],
          tokenPolicies: [{ name: 'key-tokens', bucket: 'tokens', limit: 1_000 }],
          estimate: { fixed: 100, flexible: 0 },
        }),
      );
      if (admission.outcome !== 'admitted' || !admission.tokens) throw new Error('not admitted');
      limiter.correctTokens(admission.tokens, 1);
      return admission.tokenPolicies[0]?.remaining;
    };
    await admit(0);
    const startedAtMs = performance.now();
    const commands = await commandsOf(connection, async () => {
      for (let key = 1; key < 100; key += 1) await admit(key);
      expect(await admit(1)).toBe(899);
      await new Promise((resolve) => setTimeout(resolve, 400));
    });
    const decisions = 100;
    const corrections = commands.length - decisions;
    expect(new Set(commands.map(([name]) => name?.toLowerCase()))).toEqual(new Set(['evalsha', 'eval']));
    expect(corrections).toBeGreaterThan(0);
    expect(corrections).toBeLessThanOrEqual(Math.ceil((performance.now() - startedAtMs) / 100) + 1);
  });

  test('asks with one command', async ({ skip }) => {
    // A Redis of its own: commands that others send when MONITOR begins would reach ioredis too early.
    await using server = await startRedisServer();
    if (server === undefined) return skip('there is no redis-server on the PATH');
    using connection = await connect(server.url);
    const keyPrefix = ownPrefix();
    const limiter = new RedisLimiter(connection, { keyPrefix });
    const asked = request({
      policies: [
        { name: 'key', bucket: 'free', limit: 3 },
        { name: 'team', bucket: 'team', limit: 1_000_000 },
      ],
      stream: { bucket: 'streams', limit: 1 },
      revokedKeyId: 'a',
    });
    await limiter.admit(asked);
    const commands = await commandsOf(connection, () => limiter.admit(asked));
    expect(commands).toHaveLength(1);
    expect(commands[0]?.[0]?.toLowerCase()).toBe('evalsha');
  });

  test('decides by all limits of each request, also for policies that it has prepared', async () => {
    using connection = await connect();
    const limiter = new RedisLimiter(connection, { keyPrefix: ownPrefix() });
    const policies = [{ name: 'key' as const, bucket: 'free', limit: 1 }];
    const tokenPolicies = [{ name: 'key-tokens' as const, bucket: 'tokens', limit: 1 }];
    const stream = { bucket: 'streams', limit: 0 };
    const outcomeOf = async (changes: Partial<AdmissionRequest>) => {
      const admission = await limiter.admit(request({ policies, ...changes }));
      return admission.outcome === 'refused' ? admission.by : admission.outcome;
    };
    expect(await outcomeOf({})).toBe('admitted');
    expect(await outcomeOf({})).toBe('key');
    expect(await outcomeOf({ hashTag: 'key-2', stream })).toBe('streams');
    expect(await outcomeOf({ hashTag: 'key-2', tokenPolicies, estimate: { fixed: 2, flexible: 0 } })).toBe(
      'key-tokens',
    );
    expect(await outcomeOf({ hashTag: 'key-2' })).toBe('admitted');
    expect(await outcomeOf({ hashTag: 'kéy-€' })).toBe('admitted');
    expect(await outcomeOf({ hashTag: 'kéy-€' })).toBe('key');
  });

  test('knows the script again after Redis has forgotten it', async () => {
    using connection = await connect();
    const limiter = new RedisLimiter(connection, { keyPrefix: ownPrefix() });
    await limiter.admit(request());
    await connection.client.script('FLUSH');
    expect(await limiter.admit(request())).toMatchObject({
      outcome: 'admitted',
      policies: [{ remaining: 1 }],
    });
  });

  test('leaves keys that end by themselves', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const limiter = new RedisLimiter(connection, { keyPrefix });
    await limiter.admit(request({ stream: { bucket: 'streams', limit: 1 } }));
    const keys = await connection.client.keys(`${keyPrefix}*`);
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      const ttlMs = await connection.client.pttl(key);
      expect(ttlMs).toBeGreaterThan(25_000);
      expect(ttlMs).toBeLessThanOrEqual(60_000);
    }
  });
});

/** The commands that this connection sent to Redis while `act` ran. */
async function commandsOf({ client }: RedisConnection, act: () => Promise<unknown>): Promise<string[][]> {
  if (!(client instanceof Redis)) throw new Error('a cluster has no one stream of commands');
  const own = /addr=(\S+)/.exec(`${await client.client('INFO')}`)?.[1];
  const copy = client.duplicate({ commandTimeout: 5_000 });
  const monitor = await copy.monitor();
  const commands: string[][] = [];
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    if (source === own) commands.push(args);
  });
  await act();
  await client.echo('end');
  while (commands.at(-1)?.[0] !== 'echo') await new Promise((resolve) => setTimeout(resolve, 5));
  monitor.disconnect();
  copy.disconnect();
  return commands.slice(0, -1);
}

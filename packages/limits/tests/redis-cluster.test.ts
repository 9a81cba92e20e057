import { startRedisServer } from '@model-gateway/test-kit/redis';
import { expect, test } from 'vitest';
import { type Admission, connectRedis, RedisLimiter, Tombstones } from '../src/index.ts';
import { isAdmitted, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

test.skipIf(redisUrl === undefined)('everything works on a cluster of two shards', async ({ skip }) => {
  const settings = [
    ...['--cluster-enabled', 'yes'],
    // A node that only waits for a CPU must not be taken for one that is gone.
    ...['--cluster-node-timeout', '60000'],
    // Otherwise a node learns its address from the first ping of another one, and names none before.
    ...['--cluster-announce-ip', '127.0.0.1'],
  ];
  await using first = await startRedisServer({ settings });
  await using second = await startRedisServer({ settings });
  if (first === undefined || second === undefined) return skip('there is no redis-server on the PATH');
  {
    using a = await connect(first.url);
    using b = await connect(second.url);
    await a.client.cluster('ADDSLOTSRANGE', 0, 8_191);
    await b.client.cluster('ADDSLOTSRANGE', 8_192, 16_383);
    await a.client.cluster('MEET', '127.0.0.1', second.port);
    for (const { client } of [a, b]) {
      while (!(await client.cluster('INFO')).includes('cluster_state:ok'))
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const connection = connectRedis({ url: `${first.url},${second.url}`, commandTimeoutMs: 5_000 });
  using stack = new DisposableStack();
  stack.defer(() => connection.close());
  expect(await connection.whenReady(10_000)).toBe(true);
  const limiter = new RedisLimiter(connection);
  const admissions = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      limiter.admit(
        request({
          hashTag: `team-${index % 20}`,
          policies: [
            { name: 'key', bucket: 'free:a', limit: 100 },
            { name: 'team', bucket: 'team', limit: 4 },
          ],
          tokenPolicies: [
            { name: 'key-tokens', bucket: 'tokens:a', limit: 1_000 },
            { name: 'end-user-tokens', bucket: 'end-user', limit: 10_000, ownTag: 'account' },
          ],
          estimate: { fixed: 100, flexible: 0 },
          stream: { bucket: 'streams:a', limit: 10 },
          revokedKeyId: 'a',
        }),
      ),
    ),
  );
  expect(admissions.filter(isAdmitted)).toHaveLength(80);
  // Corrections of buckets on both shards go out together.
  for (const admission of admissions)
    if (admission.outcome === 'admitted' && admission.tokens) limiter.correctTokens(admission.tokens, 10);
  const leftOf = async (hashTag: string) => {
    const tokenPolicies = [{ name: 'key-tokens' as const, bucket: 'tokens:a', limit: 1_000 }];
    return (await limiter.peek({ hashTag, policies: [], tokenPolicies })).tokenPolicies[0]?.remaining;
  };
  for (let team = 0; team < 20; team += 1)
    while ((await leftOf(`team-${team}`)) !== 960) await new Promise((resolve) => setTimeout(resolve, 20));
  await limiter.heartbeatStreams([
    { requestId: 'a', hashTag: 'team-1', bucket: 'streams:a' },
    { requestId: 'b', hashTag: 'team-2', bucket: 'streams:a' },
  ]);
  await limiter.releaseStream({ requestId: 'a', hashTag: 'team-1', bucket: 'streams:a' });

  const tombstones = new Tombstones(connection);
  expect(await tombstones.writtenUntil()).toBeUndefined();
  expect(await tombstones.append([{ hashTag: 'team-1', keyId: 'a', revision: 1n }], undefined)).toBe(true);
  expect(await tombstones.writtenUntil()).toBe(1n);
  expect(await limiter.admit(request({ hashTag: 'team-1', revokedKeyId: 'a' }))).toMatchObject({
    outcome: 'revoked',
  });
  {
    using b = await connect(second.url);
    await b.client.flushall();
  }
  expect(await tombstones.writtenUntil()).toBeUndefined();
  expect(await tombstones.append([{ hashTag: 'team-1', keyId: 'b', revision: 2n }], 1n)).toBe(false);
});

test.skipIf(redisUrl === undefined)(
  'an end user is counted with all keys in one Redis, and with each key alone in a cluster that looks like one',
  async ({ skip }) => {
    const admitted = async (url: string | undefined) => {
      using connection = await connect(url);
      const limiter = new RedisLimiter(connection, { keyPrefix: ownPrefix() });
      const asked = (key: number) =>
        request({
          hashTag: `key-${key}`,
          revokedKeyId: `key-${key}`,
          policies: [{ name: 'end-user-requests', bucket: 'end-user', limit: 3, ownTag: 'account' }],
          tokenPolicies: [{ name: 'end-user-tokens', bucket: 'end-user', limit: 1_000, ownTag: 'account' }],
          estimate: { fixed: 1, flexible: 0 },
        });
      const admissions: Admission[] = [];
      for (let sent = 0; sent < 10; sent += 1) admissions.push(await limiter.admit(asked(sent % 2)));
      return admissions.filter(isAdmitted).length;
    };
    expect(await admitted(redisUrl)).toBe(3);
    await using server = await startRedisServer({ settings: ['--cluster-enabled', 'yes'] });
    if (server === undefined) return skip('there is no redis-server on the PATH');
    {
      using node = await connect(server.url);
      await node.client.cluster('ADDSLOTSRANGE', 0, 16_383);
      while (!(await node.client.cluster('INFO')).includes('cluster_state:ok'))
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await admitted(server.url)).toBe(6);
  },
);

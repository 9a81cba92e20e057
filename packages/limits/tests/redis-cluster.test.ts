import { startRedisServer } from '@model-gateway/test-kit/redis';
import { expect, test } from 'vitest';
import { connectRedis, RedisLimiter, Tombstones } from '../src/index.ts';
import { isAdmitted, request } from './requests.ts';
import { connect, redisUrl } from './shared-redis.ts';

test.skipIf(redisUrl === undefined)('everything works on a cluster of two shards', async ({ skip }) => {
  // A node that only waits for a CPU must not be taken for one that is gone.
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '60000'];
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
          stream: { bucket: 'streams:a', limit: 10 },
          revokedKeyId: 'a',
        }),
      ),
    ),
  );
  expect(admissions.filter(isAdmitted)).toHaveLength(80);
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

import { connectRedis, type Limiter, RedisLimiter } from '@model-gateway/limits';
import { createLogger } from '@model-gateway/service-kit';
import { startRedisServer, until } from '@model-gateway/test-kit';
import { expect, inject, it } from 'vitest';
import { StreamLeases } from '../../src/limits/stream-leases.ts';

const lease = { requestId: 'request', hashTag: 'key', bucket: 'streams:key' };

it.skipIf(!inject('ownRedis'))('a stream that ends during its heartbeat leaves no slot taken', async () => {
  // One that does not know the heartbeat's script yet, so that it has to be sent twice.
  await using server = await startRedisServer();
  const connection = connectRedis({ url: server?.url ?? '', commandTimeoutMs: 5_000 });
  using stack = new DisposableStack();
  stack.defer(() => connection.close());
  await connection.whenReady(5_000);
  const redis = new RedisLimiter(connection);
  let heartbeat: Promise<void> | undefined;
  const limiter: Limiter = {
    admit: (request) => redis.admit(request),
    releaseStream: (ended) => redis.releaseStream(ended),
    peek: (request) => redis.peek(request),
    correctTokens: (taken, used) => redis.correctTokens(taken, used),
    heartbeatStreams(running) {
      heartbeat = redis.heartbeatStreams(running);
      free();
      return heartbeat;
    },
  };
  const { requestId, hashTag, bucket } = lease;
  await limiter.admit({ requestId, hashTag, policies: [], stream: { bucket, limit: 10 } });
  const leases = stack.adopt(
    new StreamLeases(limiter, createLogger({ service: 'test', level: 'silent' }), 10),
    (started) => started.close(),
  );
  const free = leases.hold(lease);
  leases.start();
  await until(() => heartbeat !== undefined);
  await heartbeat;
  await until(async () => (await connection.client.keys('*')).length === 0);
  expect(await connection.client.keys('*')).toEqual([]);
});

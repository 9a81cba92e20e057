import { setTimeout as wait } from 'node:timers/promises';
import { startRedisServer } from '@model-gateway/test-kit/redis';
import { describe, expect, test } from 'vitest';
import { connectRedis, createLimiter } from '../src/index.ts';
import { request } from './requests.ts';
import { redisUrl } from './shared-redis.ts';

async function until(isSo: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
  for (const endMs = performance.now() + timeoutMs; !(await isSo()); await wait(20)) {
    if (performance.now() > endMs) throw new Error(`did not come true within ${timeoutMs} ms`);
  }
}

describe.skipIf(redisUrl === undefined)('the place of a stream', () => {
  test.each([
    ['ended while Redis hung', 'admitted'],
    ['was never opened, because the answer was lost and memory had no place', 'refused'],
  ] as const)('that %s is free again soon after', async (_name, outcome) => {
    await using server = await startRedisServer();
    if (server === undefined) throw new Error('there is no redis-server on the PATH');
    const connection = connectRedis({ url: server.url });
    using stack = new DisposableStack();
    stack.defer(() => connection.close());
    await connection.whenReady(5_000);
    const limiter = createLimiter({ connection, expectedReplicas: 1, isTrusted: () => true });
    stack.defer(() => limiter.close());
    const stream = { bucket: 'streams', limit: 1 };
    const place = { hashTag: 'key-1', bucket: stream.bucket };
    const free = async () => {
      const { stream: state, decidedBy } = await limiter.peek({ hashTag: 'key-1', policies: [], stream });
      return decidedBy === 'redis' && state?.remaining === 1;
    };
    // After this, Redis knows both scripts.
    expect(await limiter.admit(request({ policies: [] }))).toMatchObject({ decidedBy: 'redis' });
    expect(await free()).toBe(true);
    const asked = request({ stream, policies: [] });
    if (outcome === 'admitted') {
      expect(await limiter.admit(asked)).toMatchObject({ outcome, decidedBy: 'redis' });
      server.suspend();
    } else {
      // Another stream of this process, which only memory knows.
      const other = { ...place, requestId: 'other' };
      server.suspend();
      await limiter.heartbeatStreams([other]);
      expect(await limiter.admit(asked)).toMatchObject({ outcome, decidedBy: 'memory' });
      await limiter.releaseStream(other);
    }
    await until(async () => {
      await limiter.admit(request({ policies: [] }));
      return !limiter.isRedisHealthy;
    }, 60_000);
    if (outcome === 'admitted') await limiter.releaseStream({ ...place, requestId: asked.requestId });
    server.resume();
    await until(() => limiter.isRedisHealthy, 60_000);
    const backAtMs = performance.now();
    // Without the release, the place would be free only 30 s after its last heartbeat.
    await until(free, 60_000);
    console.info(`free ${Math.round(performance.now() - backAtMs)} ms after Redis was back`);
    expect(await limiter.admit(request({ stream, policies: [] }))).toMatchObject({ decidedBy: 'redis' });
  });
});

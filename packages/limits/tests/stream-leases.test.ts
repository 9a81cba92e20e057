import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Limiter, MemoryLimiter, RedisLimiter } from '../src/index.ts';
import { isAdmitted, ManualClock, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const LIMIT = 10;
const HASH_TAG = 'key-1';
const BUCKET = 'streams';

test('every place of a stream is free again, however the streams end', () =>
  expectNoLeak((clock) => new MemoryLimiter({ clockMicros: clock.read })));

test.skipIf(redisUrl === undefined)('Redis leaks no place, however streams end', async () => {
  using connection = await connect();
  await expectNoLeak(
    (clock) => new RedisLimiter(connection, { keyPrefix: ownPrefix(), clockMicros: clock.read }),
  );
});

/** Streams open, end, and vanish without a release; the free places are compared with a plain count. */
async function expectNoLeak(create: (clock: ManualClock) => Limiter): Promise<void> {
  const step = fc.record({
    kind: fc.constantFrom('open', 'open', 'end', 'vanish', 'heartbeat', 'wait'),
    pick: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const clock = new ManualClock();
      const limiter = create(clock);
      const endsAt = new Map<string, number>();
      const vanished = new Set<string>();
      let nextId = 0;
      const lease = (requestId: string) => ({ requestId, hashTag: HASH_TAG, bucket: BUCKET });
      const open = (requestId: string) =>
        limiter.admit(
          request({ requestId, hashTag: HASH_TAG, policies: [], stream: { bucket: BUCKET, limit: LIMIT } }),
        );
      for (const { kind, pick } of steps) {
        for (const [id, at] of endsAt) if (at <= clock.now) endsAt.delete(id);
        const running = [...endsAt.keys()].filter((id) => !vanished.has(id));
        const chosen = running[pick % Math.max(1, running.length)];
        if (kind === 'open') {
          nextId += 1;
          const admission = await open(`${nextId}`);
          expect(isAdmitted(admission)).toBe(endsAt.size < LIMIT);
          if (isAdmitted(admission)) endsAt.set(`${nextId}`, clock.now + 30_000_000);
        } else if (kind === 'end' && chosen !== undefined) {
          await limiter.releaseStream(lease(chosen));
          endsAt.delete(chosen);
        } else if (kind === 'vanish' && chosen !== undefined) {
          vanished.add(chosen);
        } else if (kind === 'heartbeat') {
          await limiter.heartbeatStreams(running.map(lease));
          for (const id of running) endsAt.set(id, clock.now + 30_000_000);
        } else if (kind === 'wait') {
          clock.advanceMs(pick % 12_000);
        }
      }
      clock.advanceMs(30_000);
      for (let free = 0; free < LIMIT; free += 1) expect(isAdmitted(await open(`after-${free}`))).toBe(true);
      expect(isAdmitted(await open('one-too-many'))).toBe(false);
    }),
    { numRuns: 150 },
  );
}

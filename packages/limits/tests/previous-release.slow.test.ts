import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RedisLimiter } from '../src/index.ts';
import { admitAsBefore } from './previous-release/previous-limiter.ts';
import { isAdmitted, ManualClock, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const WINDOW_MICROS = 60_000_000;
const LARGEST_LOGGED = 8;

const ask = fc.record({
  release: fc.constantFrom('previous', 'present'),
  micros: fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 15_000_000 })),
});

describe.skipIf(redisUrl === undefined)('data planes of the previous release beside present ones', () => {
  test.each([
    { limit: LARGEST_LOGGED, together: LARGEST_LOGGED },
    { limit: LARGEST_LOGGED + 1, together: 2 * (LARGEST_LOGGED + 1) },
  ])('accept at most $together requests together in any 60 s under a limit of $limit', async (bound) => {
    using connection = await connect();
    const { limit, together } = bound;
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { maxLength: 120, size: 'max' }), async (asks) => {
        const clock = new ManualClock();
        const keyPrefix = ownPrefix();
        const present = new RedisLimiter(connection, {
          keyPrefix,
          clockMicros: clock.read,
          largestLogged: LARGEST_LOGGED,
        });
        const accepted: { release: string; at: number }[] = [];
        for (const { release, micros } of asks) {
          const inWindow = accepted.filter(({ at }) => at > clock.now - WINDOW_MICROS);
          const wasAdmitted =
            release === 'previous'
              ? await admitAsBefore(connection, { keyPrefix, bucket: 'paid', limit, now: clock.now })
              : isAdmitted(await present.admit(underLimit(limit)));
          if (wasAdmitted) {
            // The present release counts what both have accepted, the previous one at least its own.
            const counted = inWindow.filter((each) => release === 'present' || each.release === release);
            expect(counted.length).toBeLessThan(limit);
            expect(inWindow.length).toBeLessThan(together);
            accepted.push({ release, at: clock.now });
          }
          clock.now += micros;
        }
      }),
      { numRuns: 100 },
    );
  });

  test('leave long logs, which are cleared little by little and counted to the end', async () => {
    using connection = await connect();
    const clock = new ManualClock();
    const keyPrefix = ownPrefix();
    const log = `${keyPrefix}log:{key-1}:paid`;
    const entries = 6_000;
    for (let entry = 0; entry < entries; entry += 1_000) {
      const chunk = Array.from({ length: 1_000 }, (_, index) => [clock.now, `old-${entry + index}`]).flat();
      await connection.client.zadd(log, ...chunk);
    }
    const present = new RedisLimiter(connection, { keyPrefix, clockMicros: clock.read });
    const admit = () => present.admit(underLimit(10_000));
    clock.advanceMs(30_000);
    expect(await admit()).toMatchObject({ policies: [{ remaining: 10_000 - entries - 1 }] });
    clock.advanceMs(30_000);
    const sizes: number[] = [];
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await admit()).toMatchObject({ policies: [{ remaining: 10_000 - 2 - asked }] });
      sizes.push(await connection.client.zcard(log));
    }
    expect(sizes).toEqual([5_000, 0, 0]);
  });
});

function underLimit(limit: number) {
  return request({ policies: [{ name: 'key', bucket: 'paid', limit }] });
}

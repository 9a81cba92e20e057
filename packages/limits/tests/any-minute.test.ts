import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Admission, MemoryLimiter, RedisLimiter } from '../src/index.ts';
import { CELL_MS } from '../src/limiter.ts';
import { isAdmitted, ManualClock, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const WINDOW_MICROS = 60_000_000;
const LARGEST_LOGGED = 8;

/**
 * A burst under one limit, and how long nothing happens after it. Who is patient waits as long as a refusal
 * says, and asks again. Limits above 8 are counted in cells.
 */
const burst = fc.record({
  limit: fc.integer({ min: 0, max: 16 }),
  requests: fc.integer({ min: 1, max: 6 }),
  isPatient: fc.boolean(),
  micros: fc.oneof(
    fc.integer({ min: 0, max: 12_000 }),
    fc.integer({ min: 0, max: 20_000_000 }),
    fc.constantFrom(4_999, 5_000, 59_999_999, 60_000_000, 60_004_999, 60_005_000),
  ),
});

describe.each([
  ['memory', false],
  ['Redis', true],
] as const)('in %s, while limits become large and small again', (_where, inRedis) => {
  test.skipIf(inRedis && redisUrl === undefined)(
    'no 60 s have more requests than the limit, nobody is refused who has had a place for longer than a cell, and places are free when they were promised',
    async () => {
      using connection = inRedis ? await connect() : undefined;
      const decisions = { admitted: 0, refused: 0, revoked: 0 };
      await fc.assert(
        fc.asyncProperty(fc.array(burst, { maxLength: 40, size: 'max' }), async (bursts) => {
          const clock = new ManualClock();
          const options = { clockMicros: clock.read, largestLogged: LARGEST_LOGGED };
          const limiter = connection
            ? new RedisLimiter(connection, { ...options, keyPrefix: ownPrefix() })
            : new MemoryLimiter(options);
          const acceptedAt: number[] = [];
          const since = (from: number) => acceptedAt.filter((at) => at > from).length;
          const ask = async (limit: number): Promise<Admission> => {
            const surely = since(clock.now - WINDOW_MICROS);
            const perhaps = since(clock.now - WINDOW_MICROS - CELL_MS * 1_000);
            const admission = await limiter.admit(
              request({ policies: [{ name: 'key', bucket: 'paid', limit }] }),
            );
            decisions[admission.outcome] += 1;
            if (isAdmitted(admission)) {
              expect(surely).toBeLessThan(limit);
              acceptedAt.push(clock.now);
            } else {
              expect(perhaps).toBeGreaterThanOrEqual(limit);
            }
            return admission;
          };
          for (const { limit, requests, isPatient, micros } of bursts) {
            for (let sent = 0; sent < requests; sent += 1) {
              const admission = await ask(limit);
              if (!isPatient || limit === 0 || admission.outcome !== 'refused') continue;
              clock.advanceMs(admission.retryAfterMs - 1);
              expect(isAdmitted(await ask(limit))).toBe(false);
              clock.advanceMs(1);
              expect(isAdmitted(await ask(limit))).toBe(true);
            }
            clock.now += micros;
          }
        }),
        { numRuns: 150 },
      );
      console.info(JSON.stringify(decisions));
      expect(Math.min(decisions.admitted, decisions.refused)).toBeGreaterThan(1_000);
    },
  );
});

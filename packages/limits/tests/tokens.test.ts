import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Admission, MemoryLimiter, RedisLimiter } from '../src/index.ts';
import {
  type TakenTokens,
  TOKEN_CELL_MS,
  type TokenEstimate,
  type TokenPolicyRequest,
} from '../src/limiter.ts';
import { ManualClock, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const WINDOW_MICROS = 60_000_000;
const CELL_MICROS = TOKEN_CELL_MS * 1_000;

type Limits = readonly (number | null)[];

const limit = fc.integer({ min: 0, max: 2_000 });
/** Requests of one size. Who is patient waits as long as a refusal says, and asks again. */
const burst = fc.record({
  /** By bucket; null: the request does not count in it. */
  limits: fc.tuple(limit, fc.option(limit)),
  estimate: fc.record({
    fixed: fc.integer({ min: 1, max: 900 }),
    flexible: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900 })),
  }),
  requests: fc.integer({ min: 1, max: 5 }),
  isPatient: fc.boolean(),
  correction: fc.option(fc.record({ index: fc.nat(), used: fc.integer({ min: 0, max: 1_500 }) })),
  micros: fc.oneof(
    fc.integer({ min: 0, max: 300_000 }),
    fc.integer({ min: 0, max: 20_000_000 }),
    fc.constantFrom(1, 249_999, 250_000, 59_999_999, 60_000_000, 60_250_000, 3_600_000_000),
  ),
});

interface Counted {
  at: number;
  limits: Limits;
  tokens: number;
  inRedis: TakenTokens;
  inMemory: TakenTokens;
}

describe.skipIf(redisUrl === undefined)('tokens in any 60 s', () => {
  test('never exceed a limit, and leave within a cell of their minute, alike in Redis and in memory', async () => {
    using connection = await connect();
    const decisions = { admitted: 0, refused: 0, corrected: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { maxLength: 30, size: 'max' }), async (bursts) => {
        const clock = new ManualClock();
        const options = { clockMicros: clock.read };
        const redis = new RedisLimiter(connection, { ...options, keyPrefix: ownPrefix() });
        const memory = new MemoryLimiter(options);
        const counted: Counted[] = [];
        /** Returns what the tightest limit has left beside what was taken after a time. */
        const leftSince = (from: number, limits: Limits) => {
          const lefts = limits.map((limit, bucket) => {
            const isCounted = ({ at, limits }: Counted) => at > from && limits[bucket] !== null;
            const used = counted.filter(isCounted).reduce((sum, { tokens }) => sum + tokens, 0);
            return (limit ?? Number.POSITIVE_INFINITY) - used;
          });
          return Math.min(...lefts);
        };
        const ask = async (limits: Limits, estimate: TokenEstimate): Promise<Admission> => {
          const tokenPolicies = limits.flatMap((limit, bucket): TokenPolicyRequest[] =>
            limit === null ? [] : [{ name: 'key-tokens', bucket: `${bucket}`, limit }],
          );
          const asked = request({ policies: [], tokenPolicies, estimate });
          const [byRedis, byMemory] = [await redis.admit(asked), await memory.admit(asked)];
          if (byRedis.outcome === 'admitted' && byMemory.outcome === 'admitted') {
            const [{ tokens: inRedis, ...redisState }, { tokens: inMemory, ...memoryState }] = [
              byRedis,
              byMemory,
            ];
            if (inRedis === undefined || inMemory === undefined) throw new Error('no tokens were taken');
            expect({ ...redisState, decidedBy: 'memory' }).toEqual(memoryState);
            expect({ ...inRedis, countedBy: 'memory', keys: inMemory.keys }).toEqual(inMemory);
            const left = leftSince(clock.now - WINDOW_MICROS, limits) - estimate.fixed;
            expect(left).toBeGreaterThanOrEqual(0);
            expect(inMemory.count).toBeGreaterThanOrEqual(estimate.fixed);
            expect(inMemory.count - estimate.fixed).toBeLessThanOrEqual(
              Math.min(estimate.flexible, left / 4),
            );
            counted.push({ at: clock.now, limits, tokens: inMemory.count, inRedis, inMemory });
            decisions.admitted += 1;
          } else {
            expect({ ...byRedis, decidedBy: 'memory' }).toEqual(byMemory);
            const left = leftSince(clock.now - WINDOW_MICROS - CELL_MICROS, limits);
            expect(left).toBeLessThan(estimate.fixed);
            decisions.refused += 1;
          }
          return byMemory;
        };
        for (const { limits, correction, estimate, requests, isPatient, micros } of bursts) {
          for (let sent = 0; sent < requests; sent += 1) {
            const admission = await ask(limits, estimate);
            if (!isPatient || admission.outcome !== 'refused') continue;
            if (limits.some((limit) => limit !== null && limit < estimate.fixed)) continue;
            clock.advanceMs(admission.retryAfterMs - 1);
            expect((await ask(limits, estimate)).outcome).toBe('refused');
            clock.advanceMs(1);
            expect((await ask(limits, estimate)).outcome).toBe('admitted');
          }
          const corrected = correction && counted[correction.index % Math.max(1, counted.length)];
          if (correction && corrected && corrected.tokens === corrected.inMemory.count) {
            redis.correctTokens(corrected.inRedis, correction.used);
            memory.correctTokens(corrected.inMemory, correction.used);
            corrected.tokens = correction.used;
            decisions.corrected += 1;
          }
          clock.now += micros;
        }
      }),
      { numRuns: 150 },
    );
    console.info(JSON.stringify(decisions));
    expect(Math.min(...Object.values(decisions))).toBeGreaterThan(500);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Admission,
  MemoryLimiter,
  type Peek,
  type PolicyRequest,
  RedisLimiter,
  Tombstones,
} from '../src/index.ts';
import { ManualClock, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

type Step =
  | { kind: 'admit'; id: number; key: number; policies: PolicyRequest[]; streamLimit: number | undefined }
  | { kind: 'release'; id: number; key: number }
  | { kind: 'heartbeat'; ids: number[]; key: number }
  | { kind: 'revoke'; key: number }
  | { kind: 'wait'; micros: number };

const id = fc.integer({ min: 0, max: 30 });
const key = fc.integer({ min: 0, max: 1 });
const limit = fc.integer({ min: 0, max: 5 });
const policies = fc.tuple(fc.option(limit), fc.option(limit), fc.option(limit)).map((limits) =>
  (['key', 'team', 'ip'] as const).flatMap((name, index): PolicyRequest[] => {
    const chosen = limits[index] ?? null;
    return chosen === null ? [] : [{ name, bucket: name, limit: chosen }];
  }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      kind: fc.constant('admit' as const),
      id,
      key,
      policies,
      streamLimit: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('release' as const), id, key }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('heartbeat' as const),
      ids: fc.array(id, { maxLength: 3 }),
      key,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), key }) },
  {
    weight: 40,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      // Some steps lead exactly to the end of the window and of the lease.
      micros: fc.oneof(
        fc.integer({ min: 0, max: 40_000_000 }),
        fc.constantFrom(1, 29_999_999, 30_000_000, 59_999_999, 60_000_000, 60_000_001),
        // And to the ends of cells, and of the minute after them.
        fc.constantFrom(999, 1_000, 4_999, 5_000, 59_995_000, 60_004_999, 60_005_000),
      ),
    }),
  },
);

/**
 * How the limits of these tests, which are at most 5, are counted. As they change, a bucket can have both.
 */
const WAYS = [
  ['logs', undefined],
  ['logs and cells', 2],
  ['cells', -1],
] as const;

// They wait for Redis most of the time.
describe.skipIf(redisUrl === undefined).concurrent('Redis and memory', () => {
  test.each(WAYS)('decide alike with %s, whatever the schedule', async (way, largestLogged) => {
    using connection = await connect();
    const decisions = { admitted: 0, refused: 0, revoked: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
        const clock = new ManualClock();
        const keyPrefix = ownPrefix();
        const revoked = new Set<string>();
        const options = { clockMicros: clock.read, largestLogged };
        const redis = new RedisLimiter(connection, { ...options, keyPrefix });
        const tombstones = new Tombstones(connection, { keyPrefix });
        const memory = new MemoryLimiter({ ...options, isRevoked: (keyId) => revoked.has(keyId) });
        for (const step of steps) {
          if (step.kind === 'wait') {
            clock.now += step.micros;
            continue;
          }
          const hashTag = `key-${step.key}`;
          const lease = (id: number) => ({ requestId: `${id}`, hashTag, bucket: 'streams' });
          if (step.kind === 'revoke') {
            revoked.add(hashTag);
            await tombstones.write({ hashTag, keyId: hashTag, revision: 1n });
          } else if (step.kind === 'release') {
            await Promise.all([redis, memory].map((store) => store.releaseStream(lease(step.id))));
          } else if (step.kind === 'heartbeat') {
            await Promise.all([redis, memory].map((store) => store.heartbeatStreams(step.ids.map(lease))));
          } else {
            const { streamLimit } = step;
            const asked = request({
              requestId: `${step.id}`,
              hashTag,
              policies: step.policies,
              stream: streamLimit === undefined ? undefined : { bucket: 'streams', limit: streamLimit },
              revokedKeyId: hashTag,
            });
            const [redisPeek, memoryPeek] = await Promise.all([redis.peek(asked), memory.peek(asked)]);
            expect({ ...redisPeek, decidedBy: 'memory' }).toEqual(memoryPeek);
            const [byRedis, byMemory] = await Promise.all([redis.admit(asked), memory.admit(asked)]);
            expect({ ...byRedis, decidedBy: 'memory' }).toEqual(byMemory);
            decisions[byMemory.outcome] += 1;
          }
        }
      }),
      { numRuns: 400 },
    );
    console.info(`the same in Redis and in memory with ${way}: ${JSON.stringify(decisions)}`);
  });
});

const times = fc.array(fc.integer({ min: 0, max: 40_000_000 }), { minLength: 1, maxLength: 40, size: 'max' });

describe.concurrent.each([
  ['memory', false],
  ['Redis', true],
] as const)('what %s tells without counting', (_where, inRedis) => {
  const testHere = test.skipIf(inRedis && redisUrl === undefined);
  testHere.each(WAYS)('is what the next request meets, with %s', async (_way, largestLogged) => {
    using connection = inRedis ? await connect() : undefined;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(policies, times)), async (schedule) => {
        const clock = new ManualClock();
        const options = { clockMicros: clock.read, largestLogged };
        const limiter = connection
          ? new RedisLimiter(connection, { ...options, keyPrefix: ownPrefix() })
          : new MemoryLimiter(options);
        for (const [policies, waits] of schedule) {
          for (const wait of waits) {
            clock.now += wait;
            const asked = request({ policies });
            const peek = await limiter.peek(asked);
            expect(await limiter.peek(asked)).toEqual(peek);
            expectSame(peek, await limiter.admit(asked));
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** Checks that an admitted request took one place of each policy, and that a refused one changed nothing. */
function expectSame({ policies }: Peek, admission: Admission): void {
  if (admission.outcome === 'revoked') throw new Error('nobody was revoked');
  const { outcome } = admission;
  expect(outcome).toBe(policies.every(({ remaining }) => remaining > 0) ? 'admitted' : 'refused');
  const taken = outcome === 'admitted' ? 1 : 0;
  expect(admission.policies.map(({ name, limit, remaining }) => ({ name, limit, remaining }))).toEqual(
    policies.map(({ name, limit, remaining }) => ({ name, limit, remaining: remaining - taken })),
  );
  if (outcome === 'refused') expect(admission.policies).toEqual(policies);
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryLimiter, type PolicyRequest, RedisLimiter, Tombstones } from '../src/index.ts';
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
      // Also exactly to the ends of window and lease.
      micros: fc.oneof(
        fc.integer({ min: 0, max: 40_000_000 }),
        fc.constantFrom(1, 29_999_999, 30_000_000, 59_999_999, 60_000_000, 60_000_001),
      ),
    }),
  },
);

describe.skipIf(redisUrl === undefined)('Redis and memory', () => {
  test('decide alike, whatever the schedule', async () => {
    using connection = await connect();
    const decisions = { admitted: 0, refused: 0, revoked: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
        const clock = new ManualClock();
        const keyPrefix = ownPrefix();
        const revoked = new Set<string>();
        const redis = new RedisLimiter(connection, { keyPrefix, clockMicros: clock.read });
        const tombstones = new Tombstones(connection, { keyPrefix });
        const memory = new MemoryLimiter({
          clockMicros: clock.read,
          isRevoked: (keyId) => revoked.has(keyId),
        });
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
            const [byRedis, byMemory] = await Promise.all([redis.admit(asked), memory.admit(asked)]);
            expect({ ...byRedis, decidedBy: 'memory' }).toEqual(byMemory);
            decisions[byMemory.outcome] += 1;
          }
        }
      }),
      { numRuns: 400 },
    );
    console.info(`the same in Redis and in memory: ${JSON.stringify(decisions)}`);
  }, 60_000);
});

import { setTimeout as wait } from 'node:timers/promises';
import { until } from '@model-gateway/test-kit';
import { expect, inject, it } from 'vitest';
import { slotOf } from '../limits/move-slot.ts';
import { shardOfSlot, startRedisCluster } from '../limits/start-redis-cluster.ts';
import { type Answer, at, send, startLoad } from './outage-money-load.ts';
import { startMoneyStack } from './outage-money-stack.ts';
import { isMaster, MemoryWatch } from './redis-cluster-drill.ts';

const SHARDS = 3;
const KEYS = 24;
const DATA_PLANES = 2;
const LOST = 2;
/** Half of the limit for free models. */
const PAUSE_MS = 2_000;
/** Nobody may wait for a silent Redis longer than this. */
const SLOW_MS = 300;
/** Data planes read the slots every second. One that waits for a silent connection to fail takes 35 s. */
const BACK_AFTER_MS = 15_000;

it.skipIf(!inject('ownRedis')).each(['frozen', 'killed'] as const)(
  'while a master of a cluster is %s, callers within their limits are served, and few wait for it',
  async (how) => {
    await using cluster = await startRedisCluster({ shards: SHARDS, replicas: true, nodeTimeoutMs: 5_000 });
    if (cluster === undefined) throw new Error('there was a redis-server a moment ago');
    await using stack = await startMoneyStack({
      dataPlanes: DATA_PLANES,
      redisUrl: cluster.url,
      environment: { EXPECTED_REPLICAS: `${DATA_PLANES}` },
    });
    const master = at(cluster.shards, LOST);
    const replica = at(cluster.replicas, LOST);
    const keys = await Promise.all(
      Array.from({ length: KEYS }, async () => {
        const key = await stack.createPayer('1000', { defaultLimits: true });
        return { ...key, shard: shardOfSlot(await slotOf(master, key.keyId), SHARDS) };
      }),
    );
    using watch = new MemoryWatch(stack.dataPlanes);
    const asked: { answer: Answer; isOfLost: boolean }[] = [];
    const load = startLoad(KEYS, PAUSE_MS, async (lane) => {
      const { rawKey, shard } = at(keys, lane);
      const { port } = at(stack.dataPlanes, asked.length % DATA_PLANES);
      const answer = await send(port, rawKey, { model: 'sim/chat-free', maxTokens: 1 });
      asked.push({ answer, isOfLost: shard === LOST });
      return answer;
    });
    await wait(3 * PAUSE_MS);
    const fromMs = performance.now();
    if (how === 'frozen') master.suspend();
    else await master.stop();
    await until(() => isMaster(replica));
    const failedOverMs = performance.now();
    await until(() => !watch.isAnyInMemory());
    const backMs = performance.now();
    await wait(5 * PAUSE_MS);
    await load.stop();
    if (how === 'frozen') master.resume();

    const after = asked.filter(({ answer }) => answer.sentAtMs >= fromMs);
    const isSlow = ({ sentAtMs, endedAtMs }: Answer) => endedAtMs - sentAtMs > SLOW_MS;
    const figures = {
      how,
      asked: after.length,
      refused: after.filter(({ answer }) => answer.status !== 200).length,
      slowOfLost: after.filter(({ answer, isOfLost }) => isOfLost && isSlow(answer)).length,
      slowOfOthers: after.filter(({ answer, isOfLost }) => !isOfLost && isSlow(answer)).length,
      slowAfterwards: after.filter(({ answer }) => answer.sentAtMs > backMs && isSlow(answer)).length,
      failedOverMs: Math.round(failedOverMs - fromMs),
      backMs: Math.round(backMs - failedOverMs),
      secondsInMemory: watch.secondsInMemory(fromMs, performance.now()),
    };
    console.log(`Redis failover: ${JSON.stringify(figures)}`);
    expect(figures.refused, JSON.stringify(figures)).toBeLessThanOrEqual(figures.asked / 100);
    expect(figures.backMs).toBeLessThan(BACK_AFTER_MS);
  },
);

import { setTimeout as wait } from 'node:timers/promises';
import { FREE_REQUESTS_PER_MINUTE } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { expect, inject, it } from 'vitest';
import { moveSlot, onNode } from '../limits/move-slot.ts';
import { startRedisCluster } from '../limits/start-redis-cluster.ts';
import { at } from './outage-money-load.ts';
import { startMoneyStack } from './outage-money-stack.ts';
import { ClusterLoad, createKeys, isMaster, isWhole, LANES, SHARDS } from './redis-cluster-drill.ts';

const NODE_TIMEOUT_MS = 5_000;
const DATA_PLANES = 2;
/** How long a slot stays between two shards, and how long a shard stays lost. */
const SLOT_MOVE_MS = 500;
const LOST_MS = 10_000;

it.skipIf(!inject('ownRedis'))(
  'no request fails while a Redis Cluster fails over, moves slots and loses a shard',
  async () => {
    await using cluster = await startRedisCluster({
      shards: SHARDS,
      replicas: true,
      nodeTimeoutMs: NODE_TIMEOUT_MS,
    });
    if (cluster === undefined) throw new Error('there was a redis-server a moment ago');
    await using stack = await startMoneyStack({
      controlPlanes: 2,
      dataPlanes: DATA_PLANES,
      redisUrl: cluster.url,
      environment: { EXPECTED_REPLICAS: `${DATA_PLANES}` },
    });
    const [first, second, third] = [at(cluster.shards, 0), at(cluster.shards, 1), at(cluster.shards, 2)];
    const limited = await createKeys(stack, first, { defaultLimits: true });
    const rich = await createKeys(stack, first, { defaultLimits: false });
    await using load = new ClusterLoad(stack, limited, rich);
    await load.during('calm', undefined, () => wait(5_000));

    await load.during('planned failover', 0, async () => {
      await onNode(at(cluster.replicas, 0), (client) => client.call('CLUSTER', 'FAILOVER'));
      await until(() => isMaster(at(cluster.replicas, 0)));
      await load.untilInRedis();
    });
    await load.during('slots moved', 1, async () => {
      for (const { slot, shard } of [...limited, ...rich]) {
        if (shard !== 1) continue;
        await moveSlot(slot, second, third, () => wait(SLOT_MOVE_MS));
        await moveSlot(slot, third, second, () => wait(SLOT_MOVE_MS));
      }
      await load.untilInRedis();
    });
    await load.during('master killed', 2, async () => {
      await third.stop();
      await until(() => isMaster(at(cluster.replicas, 2)));
      await until(() => isWhole(first));
      await load.untilInRedis();
    });
    await load.during('shard lost, full coverage required', 1, async () => {
      await Promise.all([second.stop(), at(cluster.replicas, 1).stop()]);
      await until(async () => !(await isWhole(first)));
      await load.untilInMemory();
      await wait(LOST_MS);
    });
    await load.during('shard lost, full coverage not required', 1, async () => {
      for (const node of [first, at(cluster.replicas, 0), at(cluster.replicas, 2)]) {
        await onNode(node, (client) => client.config('SET', 'cluster-require-full-coverage', 'no'));
      }
      await until(() => isWhole(first));
      await wait(LOST_MS);
    });
    await load.stop();

    const maxPerMinute = load.maxPerMinute();
    console.log(`Redis Cluster drill: ${JSON.stringify({ ...load.figures(), maxPerMinute })}`);
    const expected = new Set(['200', '429 rate_limit_exceeded']);
    expect(
      Object.keys(load.statuses).filter((name) => !expected.has(name)),
      load.logText,
    ).toEqual([]);
    // Redis counts a limit once, and the data planes together count it again while Redis is away. A replica
    // that takes over may lack the latest requests.
    expect(Math.max(...maxPerMinute)).toBeLessThanOrEqual(2 * FREE_REQUESTS_PER_MINUTE + LANES);
    expect(await stack.verifyLedger()).toEqual([]);
  },
);

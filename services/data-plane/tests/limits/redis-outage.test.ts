import { setTimeout as wait } from 'node:timers/promises';
import {
  chatBody,
  postJson,
  startGateway,
  startOwnRedis,
  startRedisServer,
  type TestGateway,
  until,
  watchLag,
} from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';

interface Load {
  statuses: Map<number, number>;
  slowestMs: number;
  stop(): Promise<void>;
}

/** Chat completions, a few at a time, until it is stopped. */
function load(gateway: TestGateway, rawKey: string): Load {
  const statuses = new Map<number, number>();
  const result = { statuses, slowestMs: 0, stop: async () => {} };
  let running = true;
  const lane = async () => {
    while (running) {
      const sentAtMs = performance.now();
      const body = chatBody({ max_tokens: 1 });
      const response = await postJson(gateway.baseUrl, rawKey, 'chat/completions', body);
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      result.slowestMs = Math.max(result.slowestMs, performance.now() - sentAtMs);
      await wait(5);
    }
  };
  const lanes = Promise.all([lane(), lane(), lane(), lane()]);
  result.stop = async () => {
    running = false;
    await lanes;
  };
  return result;
}

describe.skipIf(!inject('ownRedis'))('Redis under load', () => {
  it('no request fails or waits long while Redis freezes, stops and comes back', async () => {
    const first = await startOwnRedis();
    await using gateway = await startGateway({ redisUrl: first.url });
    const { rawKey } = await gateway.createKey();
    const decidedBy = () => String(gateway.logLines('limits are counted in ').at(-1)?.msg);
    using lag = watchLag();
    const figures: Record<string, number> = {};
    const during = async (name: string, happening: () => Promise<void>) => {
      const running = load(gateway, rawKey);
      await wait(200);
      await happening();
      await running.stop();
      expect([...running.statuses.keys()]).toEqual([200]);
      figures[name] = Math.round(running.slowestMs);
    };
    const timed = async (name: string, isTrue: () => boolean) => {
      const sinceMs = performance.now();
      await until(isTrue);
      figures[name] = Math.round(performance.now() - sinceMs);
    };

    await during('slowest while frozen', async () => {
      first.suspend();
      await timed('frozen: in memory after', () => decidedBy().includes('in memory'));
      first.resume();
      await timed('thawed: in Redis after', () => decidedBy().includes('in Redis again'));
    });
    await during('slowest while stopped', async () => {
      await first.stop();
      await timed('stopped: in memory after', () => decidedBy().includes('in memory'));
      const second = await startRedisServer({ port: first.port });
      await timed('started: in Redis after', () => decidedBy().includes('in Redis again'));
      await second?.stop();
    });
    console.log(`Redis outage, milliseconds: ${JSON.stringify(figures)}`);
    expect(figures['thawed: in Redis after']).toBeLessThan(5_000 + lag.allowanceMs());
    expect(figures['started: in Redis after']).toBeLessThan(5_000 + lag.allowanceMs());
    expect(figures['slowest while frozen']).toBeLessThan(1_000 + lag.allowanceMs());
  });
});

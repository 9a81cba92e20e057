import {
  type RedisServer,
  startGateway,
  startOwnRedis,
  startRedisServer,
  type TestGateway,
  until,
  watchLag,
} from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { burst, chat, sum, useEverywhere } from './limited-chat.ts';

const PLANES = 4;
const LIMIT = 60;
const SHARE = LIMIT / PLANES;
/** More than the limit and the shares allow. */
const BURST = 24 * PLANES;
/** ⌈10 ÷ 4⌉ */
const STREAM_SHARE = 3;
const BACK_WITHIN_MS = 5_000;

interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

/** However Redis fails, 4 data planes together let as many requests through as Redis would. */
describe.skipIf(!inject('ownRedis'))('a Redis outage', () => {
  it.each<[name: string, outage: (server: RedisServer, stack: AsyncDisposableStack) => Outage]>([
    [
      'stopped',
      (server, stack) => ({
        begin: () => server.stop(),
        end: async () => {
          const again = await startRedisServer({ port: server.port });
          if (again !== undefined) stack.use(again);
        },
      }),
    ],
    ['frozen', (server) => ({ begin: () => server.suspend(), end: () => server.resume() })],
  ])(
    'each data plane lets its share of a limit through while Redis is %s, and limits are exact within 5 s after',
    async (name, outageOf) => {
      await using stack = new AsyncDisposableStack();
      const server = await startOwnRedis();
      stack.use(server);
      const gateway = stack.use(
        await startGateway({
          defaultLimits: true,
          dataPlanes: PLANES,
          redisUrl: server.url,
          environment: { EXPECTED_REPLICAS: String(PLANES) },
        }),
      );
      const outage = outageOf(server, stack);
      const [before, during, streams, after] = await Promise.all([0, 1, 2, 3].map(() => knownKey(gateway)));
      if (!before || !during || !streams || !after) throw new Error('no keys');
      const probe = (await gateway.createKey()).rawKey;
      expect(await announced(gateway, probe)).toEqual(Array(PLANES).fill(`${LIMIT}`));
      // One request of each data plane was used to look the key up.
      expect(sum(await burst(gateway, [before], BURST))).toBe(LIMIT - PLANES);

      await outage.begin();
      expect(await burst(gateway, [during], BURST)).toEqual(Array(PLANES).fill(SHARE));
      expect(await announced(gateway, probe)).toEqual(Array(PLANES).fill(`${SHARE}`));
      expect(await openStreams(gateway, streams)).toEqual(Array(PLANES).fill(STREAM_SHARE));

      await outage.end();
      using lag = watchLag();
      const backAtMs = performance.now();
      await until(async () => {
        const limits = await announced(gateway, (await gateway.createKey()).rawKey);
        return limits.every((limit) => limit === `${LIMIT}`);
      });
      const exactAfterMs = performance.now() - backAtMs;
      console.log(`Redis was ${name}: exact again after ${Math.round(exactAfterMs)} ms`);
      expect(exactAfterMs).toBeLessThan(BACK_WITHIN_MS + lag.allowanceMs());
      const fresh = (await gateway.createKey()).rawKey;
      expect(sum(await burst(gateway, [fresh], BURST))).toBe(LIMIT);
    },
  );
});

/** Returns a key that every data plane has looked up, so that tests measure only the limiter. */
async function knownKey(gateway: TestGateway): Promise<string> {
  const { rawKey } = await gateway.createKey();
  await useEverywhere(gateway, rawKey);
  return rawKey;
}

/** Returns the limit that each data plane reports. */
async function announced(gateway: TestGateway, rawKey: string): Promise<(string | null)[]> {
  return Promise.all(
    gateway.dataPlanes.map(async (_, plane) => {
      const response = await chat(gateway, rawKey, { plane });
      await response.arrayBuffer();
      return response.headers.get('x-ratelimit-limit-requests');
    }),
  );
}

/** Returns how many of six streams each data plane admits at once. */
async function openStreams(gateway: TestGateway, rawKey: string): Promise<number[]> {
  const body = { stream: true, simulate: { hang: { after_events: 1 } } };
  return Promise.all(
    gateway.dataPlanes.map(async (_, plane) => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => chat(gateway, rawKey, { plane, body })),
      );
      const open = answers.filter(({ status }) => status === 200);
      await Promise.all(answers.map((answer) => answer.body?.cancel()));
      return open.length;
    }),
  );
}

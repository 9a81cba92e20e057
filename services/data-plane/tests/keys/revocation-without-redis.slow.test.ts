import { startGateway, startOwnRedis, until } from '@model-gateway/test-kit';
import { expect, inject, it } from 'vitest';
import { complete } from './revocation-drill.ts';

const PLANES = [0, 1, 2];
const ROUNDS = 20;

it.skipIf(!inject('ownRedis'))(
  `while Redis is down a revoked key is refused on the very next request by each of 3 data planes, ${ROUNDS} times of ${ROUNDS}`,
  async () => {
    const redis = await startOwnRedis();
    await using gateway = await startGateway({ redisUrl: redis.url, dataPlanes: 3, controlPlanes: 2 });
    const accountId = await gateway.createAccount();
    const use = async (rawKey: string) => {
      const responses = await Promise.all(PLANES.map((plane) => complete(gateway, plane, rawKey)));
      await Promise.all(responses.map((response) => response.arrayBuffer()));
      return responses.map(({ status }) => status);
    };
    const early = await gateway.createKey(accountId);
    expect(await use(early.rawKey)).toEqual([200, 200, 200]);
    await redis.stop();
    await until(async () => {
      await use(early.rawKey);
      return gateway.logText().split('limits are counted in memory').length > PLANES.length;
    });
    for (let round = 0; round < ROUNDS; round++) {
      const key = round === 0 ? early : await gateway.createKey(accountId);
      // Twice, so that the contexts come from the caches.
      await use(key.rawKey);
      expect(await use(key.rawKey)).toEqual([200, 200, 200]);
      // Every data plane has heard; only Redis has not.
      expect((await gateway.revokeKey(key.id)).unconfirmedInstances).toEqual(['redis']);
      expect(await use(key.rawKey)).toEqual([401, 401, 401]);
    }
  },
);

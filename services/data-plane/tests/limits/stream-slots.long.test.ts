import { chatBody, postJson, startGateway, until } from '@model-gateway/test-kit';
import { expect, inject, it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';

const redis = inject('redis');

it.skipIf(redis === undefined)(
  'stream slots are free within 30 s after their data plane was killed',
  async () => {
    await using gateway = await startGateway({ defaultLimits: true, redisUrl: redis?.url ?? '' });
    const { rawKey } = await gateway.createKey();
    const plane = await spawnDataPlane(gateway, 1_000, { REDIS_URL: redis?.url ?? '' });
    const open = (baseUrl: string) =>
      postJson(
        baseUrl,
        rawKey,
        'chat/completions',
        chatBody({ stream: true, simulate: { hang: { after_events: 1 } } }),
      );
    const streams: Response[] = [];
    while (streams.length < 10) {
      const response = await open(plane.baseUrl);
      if (response.status === 200) streams.push(response);
    }
    expect((await open(gateway.baseUrl)).status).toBe(429);
    plane.child.kill('SIGKILL');
    const killedAtMs = performance.now();
    for (const stream of streams) stream.body?.cancel().catch(() => undefined);
    await until(async () => (await open(gateway.baseUrl)).status === 200, 40_000);
    const seconds = (performance.now() - killedAtMs) / 1_000;
    console.log(`slots free ${seconds.toFixed(1)} s after kill -9`);
    expect(seconds).toBeLessThan(31);
  },
);

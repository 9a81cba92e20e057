import { type GatewayOptions, startGateway } from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { burstOn } from './limited-chat.ts';

const BURST = 1_000;
const redis = inject('redis');

describe(`a burst of ${BURST} concurrent requests on one key`, () => {
  const drill = async (options: GatewayOptions) => {
    await using gateway = await startGateway({ defaultLimits: true, ...options });
    const { rawKey } = await gateway.createKey();
    expect(await burstOn(gateway, rawKey, 'sim/chat-free', BURST)).toBe(60);
    expect(await burstOn(gateway, rawKey, 'sim/chat-pro', BURST)).toBe(100);
    expect(gateway.provider.requests).toHaveLength(160);
  };

  it('a burst lets exactly 60 free and 100 paid requests through with one data plane', () => drill({}));
  it.skipIf(redis === undefined)(
    'a burst lets exactly 60 free and 100 paid requests through with 4 data planes and Redis',
    () => drill({ dataPlanes: 4, redisUrl: redis?.url ?? '' }),
  );
});

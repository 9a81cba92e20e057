import { startGateway } from '@model-gateway/test-kit';
import { it } from 'vitest';
import { streamsPoolDrill } from './money-streams-pool.ts';

it.each([true, false])(
  'a pool for 20 of 200 chats at once is never overdrawn, streamed: %j',
  async (stream) => {
    await using gateway = await startGateway({ dataPlanes: 2, controlPlanes: 2, ownPools: true });
    const figures = await streamsPoolDrill(gateway, {
      urls: gateway.dataPlanes.map((_, index) => gateway.urlOf(index)),
      requests: 200,
      connections: 100,
      covered: 20,
      stream,
    });
    console.log(figures);
  },
);

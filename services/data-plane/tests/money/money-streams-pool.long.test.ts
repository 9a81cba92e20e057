import { startGateway } from '@model-gateway/test-kit';
import { it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { streamsPoolDrill } from './money-streams-pool.ts';

it.each([true, false])(
  'a pool for 1000 of 10000 chats at once is never overdrawn, streamed: %j',
  async (stream) => {
    await using stack = new AsyncDisposableStack();
    const gateway = stack.use(await startGateway({ dataPlanes: 0, controlPlanes: 2, ownPools: true }));
    const addresses = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
    const urls: string[] = [];
    for (let index = 0; index < 4; index++) {
      const ordered = index % 2 === 0 ? addresses : addresses.toReversed();
      const more = { CONTROL_PLANE_ADDRESS: ordered.join(','), MAX_CONCURRENT_STREAMS: '10000' };
      urls.push(stack.use(await spawnDataPlane(gateway, 1_000, more)).baseUrl);
    }
    const load = { urls, requests: 10_000, connections: 500 };
    console.log(await streamsPoolDrill(gateway, { ...load, covered: 1_000, stream }));
  },
);

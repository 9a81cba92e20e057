import { startGateway } from '@model-gateway/test-kit';
import { it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { exactPoolDrill, IMAGE_NANO_USD } from './money-exact-pool.ts';
import { payingKey, usd } from './money-fixture.ts';

const COVERED = 1_000;

it('a pool for 1000 requests serves exactly 1000 of 10000 at once, on four data planes and two control planes', async () => {
  await using stack = new AsyncDisposableStack();
  const gateway = stack.use(
    await startGateway({
      dataPlanes: 0,
      controlPlanes: 2,
      ownPools: true,
      provider: { keepRequests: 100_000 },
    }),
  );
  const addresses = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  const urls: string[] = [];
  for (let index = 0; index < 4; index++) {
    const ordered = index % 2 === 0 ? addresses : addresses.toReversed();
    const plane = stack.use(
      await spawnDataPlane(gateway, 1_000, { CONTROL_PLANE_ADDRESS: ordered.join(',') }),
    );
    urls.push(plane.baseUrl);
  }
  const { rawKey } = await payingKey(gateway, usd(BigInt(COVERED) * IMAGE_NANO_USD));
  const figures = await exactPoolDrill(gateway, {
    urls,
    rawKeys: [rawKey],
    requests: 10_000,
    covered: COVERED,
    connections: 2_500,
  });
  console.log(`exact pool: ${figures}`);
});

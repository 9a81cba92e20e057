import { startGateway, TEST_SECRETS, type TestGateway, until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { runWith } from '../../../../packages/cli/tests/gatewayctl-fixture.ts';
import { spawnDataPlane } from '../process/data-plane-process.ts';

/** The lease of 3.5 s, and 30 s after which a lost data plane serves nothing. */
const GONE_AFTER_MS = 33_500;

it('a revocation names a killed data plane and when it ends, and is confirmed after that', async () => {
  await using gateway = await startGateway({ dataPlanes: 1 });
  const [first, second, third] = [
    await gateway.createKey(),
    await gateway.createKey(),
    await gateway.createKey(),
  ];
  const killed = await spawnDataPlane(gateway);
  const ready = async () => (await fetch(`${killed.internalUrl}/health/ready`)).ok;
  await until(ready);
  killed.child.kill('SIGKILL');
  await killed.exit;
  const killedAtMs = Date.now();

  const revoked = await gatewayctl(['keys', 'revoke', first.id, '--json'], gateway);
  const [instance] = JSON.parse(revoked.out).unconfirmed_instances;
  expect(instance).toMatch(/^[0-9a-f-]{36}$/);
  const named = await gatewayctl(['keys', 'revoke', second.id], gateway);
  expect(named.err).toContain(instance);
  const [, end = ''] = /serves nothing after ([\d:]{8}) UTC/.exec(named.err) ?? [];
  const statedMs = Date.parse(`${new Date().toISOString().slice(0, 11)}${end}Z`) - killedAtMs;
  // A busy data plane may have sent its last message a few seconds before it was killed.
  expect(statedMs).toBeGreaterThan(GONE_AFTER_MS - 8_000);

  let last = named.err;
  await until(async () => {
    last = (await gatewayctl(['keys', 'revoke', third.id], gateway)).err;
    return !last.includes('NOT YET CONFIRMED');
  });
  const confirmedAfterMs = Date.now() - killedAtMs;
  expect(confirmedAfterMs).toBeGreaterThan(25_000);
  expect(confirmedAfterMs).toBeLessThan(2 * GONE_AFTER_MS);
});

function gatewayctl(args: readonly string[], { controlPlanes }: TestGateway) {
  const address = controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(',');
  return runWith({ CONTROL_PLANE_ADDRESS: address, ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN }, args);
}

import { ControlPlaneClient } from '@model-gateway/contracts';
import { DEVELOPMENT_INTERNAL_TOKEN } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { startGatewayctl } from './gatewayctl-fixture.ts';

it('status says which calls wait for a provider, and for how long', async () => {
  await using gatewayctl = await startGatewayctl();
  expect((await gatewayctl.run(['status'])).out).not.toContain('WAITING');
  await using stack = new AsyncDisposableStack();
  const dataPlane = stack.adopt(
    new ControlPlaneClient({
      addresses: [gatewayctl.environment.CONTROL_PLANE_ADDRESS],
      token: DEVELOPMENT_INTERNAL_TOKEN,
      tls: {},
    }),
    (client) => client.close(),
  );
  const waits = { providerId: 'acme', longestMs: 120_000 };
  const waitingCalls = [
    { ...waits, modelId: 'acme/small', calls: 3 },
    { ...waits, modelId: 'acme/large', calls: 1, longestMs: 15_000 },
  ];
  await dataPlane.callOnce(10_000, 'catalog', 'reportWaitingCalls', {
    instanceId: 'plane',
    waitingCalls,
    validMs: 600_000,
  });
  const { out } = await gatewayctl.run(['status']);
  expect(out).toMatch(/^acme\/small +acme +3 calls for up to 1[2-9]\d s$/m);
  expect(out).toMatch(/^acme\/large +acme +1 call for up to \d\d s$/m);
  expect(await gatewayctl.json('status')).toMatchObject({
    waiting: [
      { model: 'acme/small', provider: 'acme', calls: 3 },
      { model: 'acme/large', calls: 1 },
    ],
  });
});

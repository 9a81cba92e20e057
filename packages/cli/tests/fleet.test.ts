import { startGateway, TEST_SECRETS, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runWith } from './gatewayctl-fixture.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 1 });
});
afterAll(() => gateway?.close());

function gatewayctl(...args: string[]) {
  const [{ grpcPort = 0 } = {}] = gateway.controlPlanes;
  const address = `127.0.0.1:${grpcPort}`;
  return runWith({ CONTROL_PLANE_ADDRESS: address, ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN }, args);
}

const isReady = async () =>
  (await fetch(`http://127.0.0.1:${gateway.dataPlanes[0]?.internalPort}/health/ready`)).ok;

it('a data plane is not ready from fleet drain to fleet undrain, and status says so', async () => {
  const planes = async () => JSON.parse((await gatewayctl('status', '--json')).out).data_planes;
  await until(async () => (await planes())[0]?.host != null);
  const [{ instance_id: id, host }] = await planes();
  expect(host).toMatch(new RegExp(`:${gateway.dataPlanes[0]?.port}$`));
  expect((await gatewayctl('fleet', 'drain', id)).out).toContain(`${host} takes no new requests.`);
  await until(async () => !(await isReady()));
  await until(async () => /drained, 0 requests open/.test((await gatewayctl('status')).out));
  expect((await gatewayctl('fleet', 'undrain', id)).out).toContain(`${host} takes requests again.`);
  await until(isReady);
  expect((await gatewayctl('fleet', 'drain', 'nothing')).code).toBe(1);
});

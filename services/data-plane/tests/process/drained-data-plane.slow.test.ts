import {
  chatBody,
  postJson,
  readAll,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { expect, it } from 'vitest';
import { runWith } from '../../../../packages/cli/tests/gatewayctl-fixture.ts';
import { spawnDataPlane } from './data-plane-process.ts';

type Plane = Awaited<ReturnType<typeof spawnDataPlane>>;

const isReady = async ({ internalUrl }: Plane) => (await fetch(`${internalUrl}/health/ready`)).ok;

/** Counts the chats that a data plane has answered. */
async function chatsOf({ internalUrl }: Plane): Promise<number> {
  const metrics = await (await fetch(`${internalUrl}/metrics`)).text();
  const counts = metrics.matchAll(/^gateway_requests_total\{route="\/v1\/chat\/completions".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Sends chats as a load balancer does: in turn to those that are ready. */
async function balance(planes: readonly Plane[], rawKey: string, chats: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < chats; sent++) {
    const ready: Plane[] = [];
    for (const plane of planes) if (await isReady(plane)) ready.push(plane);
    const to = ready[sent % ready.length]?.baseUrl ?? '';
    const response = await postJson(to, rawKey, 'chat/completions', chatBody());
    statuses.push(response.status);
    await response.text();
  }
  return statuses;
}

async function gatewayctl(gateway: TestGateway, ...args: string[]) {
  const address = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(',');
  const environment = { CONTROL_PLANE_ADDRESS: address, ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN };
  const { code, out } = await runWith(environment, [...args, '--json']);
  return { code, json: code === 0 ? JSON.parse(out) : undefined };
}

async function planeAt(gateway: TestGateway, { baseUrl }: Plane) {
  const { json } = await gatewayctl(gateway, 'status');
  const port = new URL(baseUrl).port;
  return json.data_planes.find(({ host }: { host: string | null }) => host?.endsWith(`:${port}`));
}

/** Finds the control plane that reports with this id. */
async function controlPlaneWith(gateway: TestGateway, id: string) {
  await using sql = openSql(gateway.databaseUrl);
  const [row] = await sql.rows(`SELECT report->>'host' AS host FROM reported_processes WHERE id = $1`, id);
  return gateway.controlPlanes.find(({ grpcPort }) => JSON.stringify(row).includes(`:${grpcPort}"`));
}

it('a drained data plane gets no new requests, ends those under way, and comes back when it is undrained', async () => {
  await using gateway = await startGateway({ dataPlanes: 0, controlPlanes: 2 });
  const { rawKey } = await gateway.createKey();
  await using drained = await spawnDataPlane(gateway);
  await using other = await spawnDataPlane(gateway);
  const planes = [drained, other];
  for (const plane of planes) await until(() => isReady(plane));
  await until(async () => (await planeAt(gateway, drained))?.version !== undefined);
  const { instance_id: id } = await planeAt(gateway, drained);

  const body = chatBody({ stream: true, simulate: { token_delay_ms: 50, content: 'word '.repeat(60) } });
  const stream = await postJson(drained.baseUrl, rawKey, 'chat/completions', body);
  const ended = readAll(stream);
  const { json } = await gatewayctl(gateway, 'fleet', 'drain', id);
  expect(json).toMatchObject({ id, drained: true });
  await until(async () => !(await isReady(drained)));
  const before = await chatsOf(drained);
  expect(new Set(await balance(planes, rawKey, 6))).toEqual(new Set([200]));
  expect(await chatsOf(drained)).toBe(before);
  expect((await ended).text).toMatch(/data: \[DONE\]\n\n$/);
  // A client that comes without the load balancer is served, and sent elsewhere for its next request.
  const late = await postJson(drained.baseUrl, rawKey, 'chat/completions', chatBody());
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
  await late.text();

  // It stays so after a reconnect to another control plane.
  await until(async () => (await planeAt(gateway, drained)).drained);
  const { control_plane_id: watched } = await planeAt(gateway, drained);
  const connected = await controlPlaneWith(gateway, watched);
  await connected?.close();
  const rest = { ...gateway, controlPlanes: gateway.controlPlanes.filter((plane) => plane !== connected) };
  await until(async () => {
    const plane = await planeAt(rest, drained);
    return plane?.live === true && plane.drained === true && plane.control_plane_id !== watched;
  });
  expect(await isReady(drained)).toBe(false);

  expect((await gatewayctl(rest, 'fleet', 'undrain', id)).json).toMatchObject({ id, drained: false });
  await until(() => isReady(drained));
  const atReturn = await chatsOf(drained);
  await balance(planes, rawKey, 4);
  expect(await chatsOf(drained)).toBe(atReturn + 2);

  const { json: audit } = await gatewayctl(rest, 'audit', 'list', '--limit', '2');
  expect(audit.map(({ action }: { action: string }) => action)).toEqual([
    'data_plane.undrained',
    'data_plane.drained',
  ]);
  expect((await gatewayctl(rest, 'fleet', 'drain', 'none')).code).toBe(1);
});

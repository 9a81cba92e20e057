import { ControlPlaneClient } from '@model-gateway/contracts';
import { createLogger, createRegistry } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { BodyCopy } from './body-copy.ts';
import { ContentsReports } from './contents-reports.ts';

/** Nothing listens on this port. */
const NOBODY = '127.0.0.1:9';

it('contents beyond their memory are lost and counted while no control plane answers, as is the rest at the end', async () => {
  const registry = createRegistry();
  const client = new ControlPlaneClient({ addresses: [NOBODY], token: 'token', tls: {} });
  const log = createLogger({ service: 'data-plane', level: 'silent' });
  // 1/32 of it: 256 KiB.
  const reports = new ContentsReports({ client, memoryBytes: 8 * 1024 * 1024, registry, log });
  const lost = async () => {
    const counter = await registry.getSingleMetric('gateway_contents_total')?.get();
    return counter?.values.find(({ labels }) => labels.outcome === 'lost')?.value ?? 0;
  };
  const taken = async () =>
    (await registry.getSingleMetric('gateway_contents_bytes')?.get())?.values[0]?.value;
  const copy = () => {
    const body = new BodyCopy('application/json', reports);
    body.add(Buffer.alloc(100_000, 'words '));
    return body;
  };
  for (let request = 0; request < 10; request++) {
    const body = copy();
    if (body.isLost) {
      reports.countLost();
      continue;
    }
    const bodies = { request: body.end(), response: new BodyCopy('', reports).end() };
    const contents = { contentsKeyId: '1', requestId: `req_${request}`, path: '/v1/messages', status: 200 };
    reports.add({ ...contents, ...bodies }, body.heldBytes);
  }
  expect([await lost(), await taken()]).toEqual([8, 200_000]);
  await reports.close();
  expect([await lost(), await taken()]).toEqual([10, 0]);
  client.close();
});

import { Server, ServerCredentials } from '@grpc/grpc-js';
import {
  type AcquireAllowanceRequestMessage,
  ControlPlaneClient,
  gatewayProto,
} from '@model-gateway/contracts';
import { createRegistry } from '@model-gateway/service-kit';
import { startGateway, TEST_SECRETS, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AllowanceCalls } from '../../src/billing/allowance-calls.ts';
import { AllowanceMetrics } from '../../src/billing/allowance-metrics.ts';
import { PayerAllowance } from '../../src/billing/payer-allowance.ts';
import { moneyCalls } from './money-calls.ts';
import { expectCleanBooks, introduce, payingKey, post } from './money-fixture.ts';

const PAYERS = 60;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ controlPlanes: 2, ownPools: true });
});
afterAll(() => gateway.close());

async function image(rawKey: string, n = 1): Promise<number> {
  const body = { model: 'sim/image-pro', prompt: 'a lighthouse', n };
  const response = await post(gateway.baseUrl, rawKey, 'images/generations', body);
  await response.arrayBuffer();
  return response.status;
}

it('first requests of many payers share calls; who has too little is refused, who has not is not; what is not used goes back', async () => {
  const keys = [];
  for (let payer = 0; payer < PAYERS; payer++) {
    // An image costs 0.04: every tenth of them cannot pay for it.
    const { rawKey } = await payingKey(gateway, payer % 10 === 9 ? '0.03' : '1000.00');
    await introduce(gateway.baseUrl, rawKey);
    keys.push(rawKey);
  }
  const before = await moneyCalls(gateway);
  const statuses = await Promise.all(keys.map((rawKey) => image(rawKey)));
  expect(statuses.filter((status) => status === 200)).toHaveLength((PAYERS * 9) / 10);
  expect(statuses.filter((status) => status === 402)).toHaveLength(PAYERS / 10);
  const calls = (await moneyCalls(gateway)) - before;
  console.log(`calls about money for ${PAYERS} payers at once: ${calls}`);
  // Those who cannot pay are asked for alone, too.
  expect(calls).toBeLessThan(PAYERS);
  const used = await moneyCalls(gateway);
  await expectCleanBooks(gateway);
  expect((await moneyCalls(gateway)) - used).toBeLessThan(PAYERS);
});

it('a data plane gets money from a control plane of the release before, which does not know the calls for many', async () => {
  const asked: AcquireAllowanceRequestMessage[] = [];
  const server = new Server();
  server.addService(gatewayProto.BillingService.service, {
    AcquireAllowance: (
      { request }: { request: AcquireAllowanceRequestMessage },
      answer: (error: null, grant: object) => void,
    ) => {
      asked.push(request);
      answer(null, { granted: 7, covered: 1 });
    },
    ReturnAllowance: (_call: unknown, answer: (error: null, given: object) => void) =>
      answer(null, { granted: 7, closed: true }),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new ControlPlaneClient({
    addresses: [`127.0.0.1:${port}`],
    token: TEST_SECRETS.INTERNAL_TOKEN,
    tls: {},
  });
  try {
    const calls = new AllowanceCalls({
      client,
      instanceId: 'data plane',
      lease: {
        isAlive: () => true,
        isLive: () => true,
        renewed: () => Promise.resolve(true),
        patience: (quietMs, mostMs) => ({ quietMs, mostMs, isHeard: () => true }),
      },
      metrics: new AllowanceMetrics(createRegistry()),
    });
    const payers = ['one', 'other'].map((accountId) => new PayerAllowance({ accountId }));
    const grants = await Promise.all(payers.map((payer) => calls.acquire(payer, [5n])));
    expect(grants.map(({ granted }) => granted)).toEqual(['7', '7']);
    await until(() => asked.length === 2);
    expect(asked.map(({ payer }) => payer?.accountId).toSorted()).toEqual(['one', 'other']);
    const given = { allowanceId: 'a', returned: '7', recall: 0, close: true, granted: '7' };
    expect(await calls.giveBack(given, false)).toMatchObject({ closed: true });
  } finally {
    client.close();
    server.forceShutdown();
  }
});

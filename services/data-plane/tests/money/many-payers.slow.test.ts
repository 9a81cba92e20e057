import { Server, ServerCredentials } from '@grpc/grpc-js';
import {
  type AcquireAllowancesRequestMessage,
  ControlPlaneClient,
  gatewayProto,
  type PayerLevelMessage,
} from '@model-gateway/contracts';
import { createLogger, createRegistry, StopSwitch } from '@model-gateway/service-kit';
import { TEST_SECRETS, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { AllowanceMetrics } from '../../src/billing/allowance-metrics.ts';
import { Allowances } from '../../src/billing/allowances.ts';
import { type Funding, newFunding } from '../../src/billing/funding.ts';
import { moneyCalls } from './money-calls.ts';
import { expectLedgerAgrees, payingKey, warmKey } from './money-fixture.ts';

const PAYERS = 60;
const gateway = withGateway({ controlPlanes: 2, ownPools: true });

async function image(rawKey: string, n = 1): Promise<number> {
  const body = { model: 'sim/image-pro', prompt: 'a lighthouse', n };
  const response = await gateway.post('images/generations', body, { key: rawKey });
  await response.arrayBuffer();
  return response.status;
}

it('first requests of many payers share calls, refuse only who cannot pay, and return unused money', async () => {
  const keys = await Promise.all(
    Array.from({ length: PAYERS }, async (_, payer) => {
      // An image costs 0.04: every tenth of them cannot pay for it.
      const { rawKey } = await payingKey(gateway, payer % 10 === 9 ? '0.03' : '1000.00');
      await warmKey(gateway.baseUrl, rawKey);
      return rawKey;
    }),
  );
  const before = await moneyCalls(gateway);
  const statuses = await Promise.all(keys.map((rawKey) => image(rawKey)));
  expect(statuses.filter((status) => status === 200)).toHaveLength((PAYERS * 9) / 10);
  expect(statuses.filter((status) => status === 402)).toHaveLength(PAYERS / 10);
  const calls = (await moneyCalls(gateway)) - before;
  console.log(`calls about money for ${PAYERS} payers at once: ${calls}`);
  // Those who cannot pay are asked for alone, too.
  expect(calls).toBeLessThan(PAYERS);
  const used = await moneyCalls(gateway);
  await expectLedgerAgrees(gateway);
  expect((await moneyCalls(gateway)) - used).toBeLessThan(PAYERS);
});

/** A control plane that grants more than is needed. */
async function generousControlPlane(asked: PayerLevelMessage[][]) {
  const server = new Server();
  server.addService(gatewayProto.BillingService.service, {
    AcquireAllowances: (
      { request: { allowances } }: { request: AcquireAllowancesRequestMessage },
      answer: (error: null, grants: object) => void,
    ) => {
      asked.push(...allowances.map(({ payer }) => payer));
      const answers = allowances.map(({ allowanceId }) => [allowanceId, { granted: 1_000, covered: 1 }]);
      answer(null, { answers: Object.fromEntries(answers) });
    },
    ReturnAllowance: (_call: unknown, answer: (error: null, given: object) => void) =>
      answer(null, { granted: 1_000, closed: true }),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const addresses = [`127.0.0.1:${port}`];
  const client = new ControlPlaneClient({ addresses, token: TEST_SECRETS.INTERNAL_TOKEN, tls: {} });
  return {
    client,
    [Symbol.dispose]() {
      client.close();
      server.forceShutdown();
    },
  };
}

function allowancesOf({ client }: { client: ControlPlaneClient }): Allowances {
  return new Allowances({
    client,
    instanceId: 'data plane',
    lease: {
      ownsGrants: () => true,
      isLive: () => true,
      renewed: () => Promise.resolve(true),
      patience: (quietMs, mostMs) => ({ quietMs, mostMs, isHeard: () => true }),
    },
    metrics: new AllowanceMetrics(createRegistry()),
    log: createLogger({ service: 'data-plane', level: 'silent' }),
  });
}

it('payers with the same levels in the same order share an allowance, whatever their kinds', async () => {
  const asked: PayerLevelMessage[][] = [];
  using controlPlane = await generousControlPlane(asked);
  const allowances = allowancesOf(controlPlane);
  const endUser = { kind: 'end_user', id: 'seat:1' };
  const key = { kind: 'key', id: 'key_1' };
  const payers = [[endUser, key], [key, endUser], [key], [endUser]];
  const { signal } = new StopSwitch();
  const reserved = [];
  for (const payer of [...payers, [{ ...key }]]) {
    reserved.push((await allowances.reserve(newFunding(payer), 7n, signal)).allowance);
  }
  expect(asked).toEqual(payers);
  expect(reserved[4]).toBe(reserved[2]);
  expect(new Set(reserved).size).toBe(payers.length);
});

it('a window that ends later than before, by a change of the calendar, gets a new allowance', async () => {
  using controlPlane = await generousControlPlane([]);
  const allowances = allowancesOf(controlPlane);
  const { signal } = new StopSwitch();
  const calendar = { timezone: 'UTC', weekStarts: 'monday' } as const;
  const budget = { id: 'bud_1', scope: 'key', window: 'day', warns: false, calendar } as const;
  const startsAtMs = Date.now() - 1_000;
  const endingAt = (endsAtMs: number) =>
    newFunding([{ kind: 'key', id: 'key_1' }], [{ id: 'bud_1/2026-11-26', budget, startsAtMs, endsAtMs }]);
  const [ended, later] = [endingAt(Date.now()), endingAt(Date.now() + 60_000)];
  const allowanceOf = async (funding: Funding) => (await allowances.reserve(funding, 7n, signal)).allowance;
  const first = await allowanceOf(ended);
  expect(first.spareWanted).toBe(0n);
  const next = await allowanceOf(later);
  expect(next.spareWanted).toBeGreaterThan(0n);
  // A running request of the old calendar.
  expect(await allowanceOf(ended)).toBe(next);
});

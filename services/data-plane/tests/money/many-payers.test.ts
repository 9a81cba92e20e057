import { startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

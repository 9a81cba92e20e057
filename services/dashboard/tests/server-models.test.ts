import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { modelsResponse } from '../wire/status.ts';
import { newAddress, signedUp, withServer } from './server-fixture.ts';

const CALL_MS = 10_000;

const site = withServer({ catalog: true }, (gateway) => ({
  CATALOG_URL: `http://127.0.0.1:${gateway.catalog?.port}`,
}));

const inputOf = (models: unknown) =>
  modelsResponse.parse(models).data.find(({ id }) => id === 'sim/chat-pro')?.pricing.input_per_million_usd;

it('the models of an account have the prices of its list, and those of everybody else do not', async () => {
  const email = newAddress();
  const holder = await signedUp(site.server, email);
  const { admin } = site.gateway;
  const everybody = inputOf(await holder.json('/api/models'));
  expect(inputOf(await holder.json('/api/account/models'))).toBe(everybody);
  const list = { name: 'Partners', version: { termsJson: '{"factor":"1.000001"}' } };
  const { listJson } = await admin.callOnce(CALL_MS, 'catalog', 'createPriceList', list);
  await admin.call(CALL_MS, 'accounts', 'changeAccount', {
    account: email,
    priceListId: JSON.parse(listJson).id,
  });
  await until(async () => inputOf(await holder.json('/api/account/models')) === '1.000001');
  expect(inputOf(await holder.json('/api/models'))).toBe(everybody);
  expect(JSON.stringify(await holder.json('/api/account/settings'))).not.toMatch(/price|pl_/i);
});

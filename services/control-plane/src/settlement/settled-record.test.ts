import { NO_UNITS, PriceListVersion, priceListTerms, priceOf } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { ReportedRequest } from './reported-request.ts';
import { priceRequest } from './settled-record.ts';

const PRICE = priceOf({
  input_per_million_usd: '4',
  output_per_million_usd: '20',
  service_tiers: {
    flex: { input_per_million_usd: '2', output_per_million_usd: '10' },
    priority: { input_per_million_usd: '7', output_per_million_usd: '35' },
  },
});
const UNITS = { ...NO_UNITS, inputTokens: 1_000, outputTokens: 100 };
const REQUEST: ReportedRequest = {
  requestId: 'req_1',
  modelId: 'acme/large',
  capability: 'chat',
  owner: { accountId: 'acct_1', seatId: undefined, teamId: undefined },
  keyId: 'key_1',
  priceVersion: 1,
  units: UNITS,
  parts: [],
  usageSource: 'provider',
  billingReason: 'completed',
  held: 0n,
  endedAtMs: 0,
  attempts: [],
  clampedFields: new Set(),
};
const MARGIN = new PriceListVersion(7, 0, priceListTerms.parse({ factor: '1.2' }));
const FIXED = new PriceListVersion(
  8,
  0,
  priceListTerms.parse({
    models: [{ model: 'acme/large', pricing: { input_per_million_usd: '5', output_per_million_usd: '25' } }],
  }),
);

it.each([
  [undefined, 6_000_000n],
  ['flex', 3_000_000n],
  ['priority', 10_500_000n],
  ['reserved', 6_000_000n],
  ['turbo', 10_500_000n],
] as const)(
  'a request at %s costs what the tier costs, and is charged the list of it',
  (serviceTier, cost) => {
    const request = { ...REQUEST, serviceTier };
    const prices = { price: PRICE, parts: [] };
    expect(priceRequest(request, { ...prices, list: undefined }, 0)).toMatchObject({
      serviceTier,
      cost: String(cost),
      providerCost: undefined,
    });
    expect(priceRequest(request, { ...prices, list: MARGIN }, 0)).toMatchObject({
      cost: String((cost * 6n) / 5n),
      providerCost: String(cost),
    });
    // A fixed price without service tiers holds at every tier.
    expect(priceRequest(request, { ...prices, list: FIXED }, 0)).toMatchObject({
      cost: String(7_500_000n),
      providerCost: String(cost),
    });
  },
);

it('a part at a tier without a price is marked', () => {
  const part = { modelId: 'acme/large', priceVersion: 1, units: UNITS, price: PRICE };
  const unpriced = (serviceTier: string) =>
    priceRequest({ ...REQUEST, serviceTier }, { price: PRICE, parts: [part], list: FIXED }, 0).parts?.map(
      (stored) => stored.unpriced,
    );
  expect(unpriced('turbo')).toEqual([['service_tier']]);
  expect(unpriced('flex')).toEqual([[]]);
});

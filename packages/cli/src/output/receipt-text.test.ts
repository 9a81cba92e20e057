import type { ReceiptMessage } from '@model-gateway/contracts';
import { NO_UNITS, perUnit, type Units } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { receiptJson, receiptText } from './receipt-text.ts';

function unitsOf(some: Partial<Units>) {
  const units = { ...NO_UNITS, ...some };
  return perUnit('unit', ({ unit }) => String(units[unit]));
}

const RECEIPT: ReceiptMessage = {
  requestId: 'req_1',
  owner: null,
  keyId: 'key_1',
  modelId: 'acme/large',
  capability: 'chat',
  endedAtMs: '1772884800250',
  units: unitsOf({ inputTokens: 1_000, cachedInputTokens: 125, cacheWriteTokens: 400 }),
  usageSource: 'provider',
  priceVersion: 2,
  pricing: { input_per_million_usd: '3', 'tiers.200000.input_per_million_usd': '6' },
  held: '9000000',
  cost: '3200000',
  charged: '3200000',
  uncollected: '0',
  debits: [],
  attempts: [],
  billingReason: 'completed',
  unpriced: ['cache_write_tokens'],
  tags: {},
  budgets: [],
  affinity: 'session',
  parts: [
    {
      modelId: 'acme/small',
      priceVersion: 1,
      units: unitsOf({ inputTokens: 200 }),
      cost: '200000',
      unpriced: [],
    },
  ],
};

it('a receipt shows prices for long inputs, units without a price, and the cost of each model', () => {
  const receipt = receiptJson(RECEIPT);
  expect(receipt).toMatchObject({
    pricing: { input_per_million_usd: '3' },
    pricing_tiers: [{ above_input_tokens: 200_000, input_per_million_usd: '6' }],
    unpriced: ['cache_write_tokens'],
    parts: [{ model: 'acme/small', price_version: 1, units: { input_tokens: 200 }, cost_usd: '0.000200000' }],
  });
  const text = receiptText(receipt, (id) => (id === 'key_1' ? 'laptop' : id));
  expect(text).toMatch(/^price +version 2: input_per_million_usd 3$/m);
  expect(text).toMatch(/^price +above 200000 input tokens: input_per_million_usd 6$/m);
  expect(text).toMatch(/^key +laptop \(key_1\)$/m);
  expect(receipt).toMatchObject({ affinity: 'session', cached_input_share: 0.125 });
  expect(text).toMatch(/^cached +12\.5 % of the input$/m);
  expect(text.match(/^affinity .*$/gm)).toEqual([expect.stringMatching(/^affinity +session$/)]);
  expect(text).toMatch(/^unpriced +cache write tokens$/m);
  expect(text).toMatch(/^acme\/small +200 input tokens +0\.0002 +0\.0002 +0\.00$/m);
});

it('a receipt without tiers, unpriced units and parts has no such members', () => {
  const receipt = receiptJson({ ...RECEIPT, pricing: {}, unpriced: [], parts: [] });
  for (const name of ['pricing_tiers', 'unpriced', 'parts']) expect(receipt).not.toHaveProperty(name);
});

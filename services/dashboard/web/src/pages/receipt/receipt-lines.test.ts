import { perUnit } from '@model-gateway/shared/units';
import { expect, test } from 'vitest';
import { formatExactUsd, formatFullUsd, sumOf, timesPrice } from './exact-usd.ts';
import { receiptBill } from './receipt-lines.ts';

const none = perUnit('shown', () => 0);

test('units times a price are exact', () => {
  expect(formatExactUsd(timesPrice(7, '0.15', 1_000_000))).toBe('$0.00000105');
  expect(formatExactUsd(timesPrice(3, '0.000000001', 1_000_000))).toBe('$0.000000000000003');
  expect(formatExactUsd(sumOf([timesPrice(1, '1.00', 1), timesPrice(1, '0.5', 1_000_000)]))).toBe(
    '$1.0000005',
  );
  expect(formatFullUsd('0.1375')).toBe('$0.1375');
  expect(formatFullUsd('2')).toBe('$2.00');
});

test('cached input is a line of its own, not counted twice', () => {
  const bill = receiptBill({
    units: { ...none, inputTokens: 100, cachedInputTokens: 40, outputTokens: 10 },
    pricing: {
      input_per_million_usd: '1.00',
      cached_input_per_million_usd: '0.50',
      output_per_million_usd: '2.00',
    },
    unpriced: [],
    costUsd: '0.000100000',
  });
  expect(bill.lines.map(({ count, price, amount }) => [count, price, amount])).toEqual([
    ['60 tokens', '$1.00 per 1M tokens', '$0.00006'],
    ['40 tokens', '$0.50 per 1M tokens', '$0.00002'],
    ['10 tokens', '$2.00 per 1M tokens', '$0.00002'],
  ]);
  expect(bill.beforeRounding).toBeUndefined();
});

test('cached input without a price of its own has the price of input', () => {
  const bill = receiptBill({
    units: { ...none, inputTokens: 4, cachedInputTokens: 4 },
    pricing: { input_per_million_usd: '1.00' },
    unpriced: [],
    costUsd: '0.000004000',
  });
  expect(bill.lines).toEqual([
    {
      id: 'cached_input_tokens',
      name: 'Input from the cache',
      count: '4 tokens',
      price: '$1.00 per 1M tokens',
      isUnpriced: false,
      amount: '$0.000004',
    },
  ]);
});

test('the bill has the exact sum if the cost was rounded up', () => {
  const bill = receiptBill({
    units: { ...none, inputTokens: 1 },
    pricing: { input_per_million_usd: '0.0001' },
    unpriced: [],
    costUsd: '0.000000001',
  });
  expect(bill.beforeRounding).toBe('$0.0000000001');
});

test('audio is priced by the millisecond, other units by the piece', () => {
  const bill = receiptBill({
    units: { ...none, audioSeconds: 1.5, images: 2 },
    pricing: { audio_second_usd: '0.0001', image_usd: '0.04' },
    unpriced: [],
    costUsd: '0.080150000',
  });
  expect(bill.lines.map(({ amount }) => amount)).toEqual(['$0.08', '$0.00015']);
  expect(bill.beforeRounding).toBeUndefined();
});

test('units without a price cost nothing', () => {
  const bill = receiptBill({
    units: { ...none, inputTokens: 5 },
    pricing: {},
    unpriced: [],
    costUsd: '0.000000000',
  });
  expect(bill.lines[0]).toMatchObject({ price: undefined, amount: '$0.00' });
});

test('a unit without a price of its own has the highest price of its direction, and is marked', () => {
  const bill = receiptBill({
    units: { ...none, inputTokens: 10, cacheWriteTokens: 4 },
    pricing: {
      input_per_million_usd: '3',
      cached_input_per_million_usd: '0.3',
      output_per_million_usd: '15',
    },
    unpriced: ['cache_write_tokens'],
    costUsd: '0.000030000',
  });
  expect(bill.lines.map(({ count, price, isUnpriced }) => [count, price, isUnpriced])).toEqual([
    ['6 tokens', '$3.00 per 1M tokens', false],
    ['4 tokens', '$3.00 per 1M tokens', true],
  ]);
});

test('a long request has the prices of its tier', () => {
  const pricing = {
    input_per_million_usd: '3',
    output_per_million_usd: '15',
    'tiers.200000.input_per_million_usd': '6',
  };
  const price = (inputTokens: number) =>
    receiptBill({ units: { ...none, inputTokens }, pricing, unpriced: [], costUsd: '1.000000000' }).lines[0]
      ?.price;
  expect([price(200_000), price(200_001)]).toEqual(['$3.00 per 1M tokens', '$6.00 per 1M tokens']);
});

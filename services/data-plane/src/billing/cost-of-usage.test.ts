import { type UsagePart, usageOf, usageOfParts } from '@model-gateway/dialects';
import { NO_UNITS, priceOf, type Units } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { costOfUsage, unpricedUses } from './cost-of-usage.ts';

const units = (some: Partial<Units>): Units => ({ ...NO_UNITS, ...some });
const pricedAt = (id: string, version: number, usd: string) => {
  const cost = priceOf({ input_per_million_usd: usd });
  return { id, price: { version, selling: cost, cost } };
};
const large = pricedAt('acme/large', 3, '3');
const small = pricedAt('acme/small', 1, '1');
const free = { id: 'acme/free', price: undefined };

const parts: UsagePart[] = [
  { model: large, units: units({ inputTokens: 100 }) },
  { model: small, units: units({ inputTokens: 50, cacheWriteTokens: 20 }) },
  { model: free, units: units({ inputTokens: 1_000_000 }) },
];
const helped = { ...usageOf('provider', { inputTokens: 100 }), parts };

describe('the cost of a request', () => {
  it('is the price of its units if only its own model responded', () => {
    expect(costOfUsage(usageOf('provider', { inputTokens: 7 }), large)).toBe(21_000n);
  });

  it('is the sum of its parts, each at the price of its model', () => {
    expect(costOfUsage(helped, large)).toBe(100n * 3_000n + 50n * 1_000n);
  });

  it('is zero for a free model, even if priced models were called', () => {
    expect(costOfUsage(helped, free)).toBe(0n);
    expect(unpricedUses(helped, free)).toEqual([]);
  });
});

it('unpriced units are reported under the model that lacks the price', () => {
  expect(unpricedUses(helped, large)).toEqual([
    { modelId: 'acme/small', unit: 'cacheWriteTokens', count: 20 },
  ]);
  expect(unpricedUses(usageOf('provider', { inputTokens: 7 }), large)).toEqual([]);
});

it('parts beyond the limit of the control plane are merged by model, at the same cost', () => {
  const many = Array.from({ length: 101 }, () => parts.slice(0, 2)).flat();
  const usage = usageOfParts('provider', large, many);
  expect(usage.parts?.map(({ model, units: { inputTokens } }) => [model.id, inputTokens])).toEqual([
    ['acme/large', 10_100],
    ['acme/small', 5_050],
  ]);
  expect(usage.inputTokens).toBe(10_100);
  expect(costOfUsage(usage, large)).toBe(101n * (100n * 3_000n + 50n * 1_000n));
});

import { PriceLists, priceOf } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { applyPriceList, priceListOf } from './apply-price-list.ts';
import type { RoutedModel } from './model-table.ts';

it('a price list that has not arrived stops paid models, and no free ones', () => {
  const list = priceListOf({ priceLists: new PriceLists([]) }, { priceListId: 'pl_new' });
  const cost = priceOf({ input_per_million_usd: '1' });
  // The members that decide.
  const free = { id: 'acme/free', price: undefined } as RoutedModel;
  const paid = { id: 'acme/paid', price: { version: 1, cost, selling: cost } } as RoutedModel;
  expect(applyPriceList(free, list)).toBe(free);
  expect(() => applyPriceList(paid, list)).toThrow(expect.objectContaining({ status: 503 }));
});

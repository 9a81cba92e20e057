import { expect, it } from 'vitest';
import { isAtBasePrice, readServiceTier } from './service-tier.ts';

it.each([
  ['default', 'default'],
  ['STANDARD', 'default'],
  ['standard_only', 'default'],
  ['on_demand', 'default'],
  ['ON_DEMAND', 'default'],
  ['flex', 'flex'],
  ['ON_DEMAND_FLEX', 'flex'],
  ['priority', 'priority'],
  ['fast', 'priority'],
  ['batch', 'batch'],
  ['scale', 'reserved'],
  ['PROVISIONED_THROUGHPUT', 'reserved'],
  ['turbo', 'turbo'],
  ['two words', 'unknown'],
  ['x'.repeat(33), 'unknown'],
  ['auto', undefined],
  ['TRAFFIC_TYPE_UNSPECIFIED', undefined],
  ['', undefined],
  [7, undefined],
  [null, undefined],
])('the word %s of a provider or a caller means the tier %s', (word, tier) => {
  expect(readServiceTier(word)).toBe(tier);
});

it('only reserved capacity costs the default price besides the default tier', () => {
  expect([undefined, 'default', 'reserved'].every(isAtBasePrice)).toBe(true);
  expect(['flex', 'priority', 'batch', 'turbo', 'unknown'].some(isAtBasePrice)).toBe(false);
});

import { type Pricing, priceOf } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { RoutedModel } from '../catalog/model-table.ts';
import { refuseUnpriced } from './refuse-unpriced.ts';

const CHAT = { input_per_million_usd: '1', output_per_million_usd: '2' };
const WITH_TOOLS = { ...CHAT, tool_call_usd: '0.01' };

function modelAt(cost: Pricing, selling: Pricing): RoutedModel {
  const price = { version: 1, cost: priceOf(cost), selling: priceOf(selling) };
  // The members that decide.
  return { id: 'acme/chat', tier: 'paid', price } as RoutedModel;
}

it.each([
  ['the catalog and the price list', WITH_TOOLS, WITH_TOOLS, true],
  ['the catalog alone', WITH_TOOLS, CHAT, false],
  ['the price list alone, because nothing counts it', CHAT, WITH_TOOLS, false],
])('a tool that needs a price, which is in %s', (_where, cost, of, isAllowed) => {
  const ask = () =>
    refuseUnpriced(modelAt(cost, of), [{ param: 'tools', advice: '', needs: 'tool_call_usd' }]);
  if (isAllowed) expect(ask).not.toThrow();
  else expect(ask).toThrow();
});

const FLEX = { ...CHAT, service_tiers: { flex: CHAT } };
const tier = (needsTier: string) => [{ param: 'service_tier', advice: '', needsTier }];

it.each([
  ['the catalog and the price list', FLEX, FLEX, true],
  ['the catalog alone', FLEX, CHAT, false],
  ['the price list alone', CHAT, FLEX, false],
])('a service tier that has a price in %s', (_where, cost, of, isAllowed) => {
  const ask = () => refuseUnpriced(modelAt(cost, of), tier('flex'));
  if (isAllowed) expect(ask).not.toThrow();
  else expect(ask).toThrow('service_tier: the model "acme/chat" has no price for the tier "flex"');
});

it('a free model takes cheaper tiers, and none that may cost the operator more', () => {
  const free = { id: 'acme/free', tier: 'free' } as RoutedModel;
  for (const name of ['flex', 'batch']) expect(() => refuseUnpriced(free, tier(name))).not.toThrow();
  for (const name of ['priority', 'reserved', 'turbo', 'unknown'])
    expect(() => refuseUnpriced(free, tier(name))).toThrow(`no price for the tier "${name}"`);
});

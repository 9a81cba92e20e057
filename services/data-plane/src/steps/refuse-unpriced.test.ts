import { priceOf } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { RoutedModel } from '../catalog/model-table.ts';
import { refuseUnpriced } from './refuse-unpriced.ts';

const CHAT = { input_per_million_usd: '1', output_per_million_usd: '2' };
const WITH_TOOLS = { ...CHAT, tool_call_usd: '0.01' };

function modelAt(cost: typeof CHAT, selling: typeof CHAT): RoutedModel {
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

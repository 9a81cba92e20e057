import { PriceLists } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { ModelChoice, ModelTable } from '../catalog/model-table.ts';
import { possibleClasses } from './possible-classes.ts';

const choice = (tier: 'free' | 'paid'): ModelChoice => ({
  members: [
    {
      model: {
        id: `acme/${tier}`,
        capability: 'chat',
        tier,
        contextLength: undefined,
        maxOutputTokens: undefined,
        mediaPartTokens: 1_600,
        filePartTokens: 1_600,
        price: undefined,
        upstreams: [],
      },
      weight: 1,
    },
  ],
  fallbacks: [],
});
const table: ModelTable = {
  revision: 1,
  providers: new Map(),
  models: new Map(),
  priceLists: new PriceLists([]),
  choices: new Map([
    ['acme/paid', choice('paid')],
    ['gpt-4o', choice('paid')],
    ['gpt-4o-mini', choice('free')],
  ]),
};
const arrived = (text: string) => possibleClasses(table, [Buffer.from(text)]);

it('an arriving body counts against the limit of the model that it names, by id or alias', () => {
  expect(arrived('{"model": "acme/paid", "messages": [')).toEqual(['paid']);
  expect(arrived('{"model": "gpt-4o", "messages": [')).toEqual(['paid']);
  expect(arrived('{"model":"gpt-4o-mini","messages":[')).toEqual(['free']);
});

it('an arriving body may count against either limit while its model is unknown', () => {
  for (const text of ['{"messages": [', '{"model": "acme/none", ', '{"model": "gpt']) {
    expect(arrived(text)).toEqual(['free', 'paid']);
  }
  expect(possibleClasses(undefined, [Buffer.from('{"model": "gpt-4o",')])).toEqual(['free', 'paid']);
});

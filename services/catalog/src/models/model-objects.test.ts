import { expect, it } from 'vitest';
import { modelObjects } from './model-objects.ts';

const MODEL = {
  id: 'acme/long',
  name: 'Long',
  description: '',
  capability: 'chat',
  tier: 'paid',
  guardrails: [],
  inputModalities: ['text'],
  outputModalities: ['text'],
  aliases: [],
  fallbacks: [],
  upstreams: [],
  createdAt: '1',
  timeouts: null,
};

function pricesOf(pricing: Record<string, string>) {
  const catalog = {
    revision: '1',
    providers: [],
    virtualModels: [],
    priceLists: [],
    guardrails: [],
    models: [{ ...MODEL, pricing }],
  };
  const [model] = modelObjects(catalog, () => ({ status: 'operational' }));
  return { pricing: model?.pricing, tiers: model?.pricing_tiers };
}

it('the prices of tiers stand beside those of the model, which stay decimal strings by their names', () => {
  expect(
    pricesOf({
      input_per_million_usd: '3',
      'tiers.200000.input_per_million_usd': '6',
      'tiers.200000.output_per_million_usd': '22.5',
    }),
  ).toEqual({
    pricing: { input_per_million_usd: '3' },
    tiers: [{ above_input_tokens: 200_000, input_per_million_usd: '6', output_per_million_usd: '22.5' }],
  });
});

it('a model without tiers has no member for them', () => {
  expect(pricesOf({ input_per_million_usd: '3' })).toEqual({
    pricing: { input_per_million_usd: '3' },
    tiers: undefined,
  });
});

import { describe, expect, it } from 'vitest';
import { checkCatalog } from '../catalog/check-catalog.ts';

const provider = { id: 'acme', name: 'Acme', kind: 'openai-compatible', base_url: 'https://acme.example/v1' };
const PRICES = { input_per_million_usd: '3', output_per_million_usd: '15' };

function problemsOf(pricing: object, more: object = {}): Record<string, string> {
  const model = {
    id: 'acme/small',
    name: 'Small',
    capability: 'chat',
    tier: 'paid',
    upstreams: [{ provider: 'acme', model: 'small' }],
    pricing,
    ...more,
  };
  const checked = checkCatalog({ providers: [provider], models: [model] });
  if ('document' in checked) return {};
  return Object.fromEntries(
    checked.problems.map(({ path, message }) => [path.replace('models[0].pricing.', ''), message]),
  );
}

const tiers = (...bounds: number[]) =>
  bounds.map((above_input_tokens) => ({ above_input_tokens, input_per_million_usd: '6' }));

describe('prices in a catalog file', () => {
  it('may be higher for a part than for its whole, but for a discount', () => {
    expect(
      problemsOf({
        ...PRICES,
        cache_write_per_million_usd: '3.75',
        cache_write_1h_per_million_usd: '6',
        audio_input_per_million_usd: '40',
        reasoning_per_million_usd: '60',
        web_search_request_usd: '0.01',
      }),
    ).toEqual({});
    expect(problemsOf({ ...PRICES, cached_input_per_million_usd: '3.1' })).toEqual({
      cached_input_per_million_usd: 'cached input must not cost more than input',
    });
  });

  it('have tiers in the order of their bounds', () => {
    expect(problemsOf({ ...PRICES, tiers: tiers(200_000, 500_000) })).toEqual({});
    const message = 'must be above 200000, the bound of the tier before';
    for (const second of [200_000, 100_000]) {
      expect(problemsOf({ ...PRICES, tiers: tiers(200_000, second) })).toEqual({
        'tiers[1].above_input_tokens': message,
      });
    }
  });

  it.each<[string, object, object, string]>([
    ['a tier without a price', { tiers: [{ above_input_tokens: 5 }] }, {}, 'tiers[0]'],
    [
      'a tier without a bound',
      { tiers: [{ input_per_million_usd: '6' }] },
      {},
      'tiers[0].above_input_tokens',
    ],
    ['a tier from nothing on', { tiers: tiers(0) }, {}, 'tiers[0].above_input_tokens'],
    ['an empty list of tiers', { tiers: [] }, {}, 'tiers'],
    [
      'a price in a tier that would never be charged',
      { tiers: [{ above_input_tokens: 5, image_usd: '1' }] },
      {},
      'tiers[0].image_usd',
    ],
    [
      'a discount of a tier that is none',
      { tiers: [{ above_input_tokens: 5, cached_input_per_million_usd: '4' }] },
      {},
      'tiers[0].cached_input_per_million_usd',
    ],
    ['tiers of a free model', { tiers: tiers(5) }, { tier: 'free' }, 'tiers'],
  ])('%s is refused, with its place', (_name, pricing, more, path) => {
    expect(Object.keys(problemsOf({ ...PRICES, ...pricing }, more))).toEqual([path]);
  });

  it('have service tiers with the prices that the model needs, and the bounds of the model', () => {
    const long = tiers(200_000);
    const flex = { input_per_million_usd: '1.5', output_per_million_usd: '7' };
    expect(problemsOf({ ...PRICES, service_tiers: { flex, priority: PRICES } })).toEqual({});
    expect(problemsOf({ ...PRICES, tiers: long, service_tiers: { flex: { ...flex, tiers: long } } })).toEqual(
      {},
    );
    expect(problemsOf({ ...PRICES, tiers: long, service_tiers: { flex } })).toEqual({
      'service_tiers.flex.tiers': 'must have the same bounds as `pricing.tiers`: 200000',
    });
    expect(problemsOf({ ...PRICES, service_tiers: { flex: { ...flex, tiers: long } } })).toEqual({
      'service_tiers.flex.tiers': 'only where `pricing` has tiers of its own',
    });
    expect(problemsOf({ ...PRICES, service_tiers: { flex: { input_per_million_usd: '1' } } })).toEqual({
      'service_tiers.flex.output_per_million_usd': 'a paid chat model needs this price',
    });
    expect(problemsOf({ ...PRICES, cached_input_per_million_usd: '2', service_tiers: { flex } })).toEqual({
      'service_tiers.flex.cached_input_per_million_usd': 'cached input must not cost more than input',
    });
    expect(Object.keys(problemsOf({ ...PRICES, service_tiers: { scale: flex } }))).toEqual(['service_tiers']);
    expect(Object.keys(problemsOf({ ...PRICES, service_tiers: { flex } }, { tier: 'free' }))).toEqual([
      'service_tiers',
    ]);
  });

  it('have no tiers where nothing is metered by input tokens', () => {
    const problems = problemsOf(
      { audio_second_usd: '1', tiers: [{ above_input_tokens: 5, audio_second_usd: '2' }] },
      { capability: 'transcription' },
    );
    expect(problems).toEqual({ tiers: 'transcription is not metered by input tokens' });
  });
});

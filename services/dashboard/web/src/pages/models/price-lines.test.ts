import { expect, test } from 'vitest';
import { priceLines } from './price-lines.ts';

test('token prices are shown with all their digits, at least cents', () => {
  expect(
    priceLines({
      pricing: {
        output_per_million_usd: '0.1375',
        input_per_million_usd: '15',
        cached_input_per_million_usd: '1234.5',
      },
    }),
  ).toEqual([
    { id: 'input_per_million_usd', amount: '$15.00', per: '1M input tokens' },
    { id: 'cached_input_per_million_usd', amount: '$1,234.50', per: '1M cached input tokens' },
    { id: 'output_per_million_usd', amount: '$0.1375', per: '1M output tokens' },
  ]);
});

test('audio is priced by the minute, exactly', () => {
  expect(priceLines({ pricing: { audio_second_usd: '0.000030833' } })).toEqual([
    { id: 'audio_second_usd', amount: '$0.00184998', per: 'minute of audio' },
  ]);
});

test('a model without prices has no price lines', () => expect(priceLines({ pricing: {} })).toEqual([]));

test('the price lines of a tier name its threshold', () => {
  const lines = priceLines({
    pricing: { input_per_million_usd: '3' },
    pricing_tiers: [{ above_input_tokens: 200_000, input_per_million_usd: '6' }],
  });
  expect(lines.map(({ amount, per }) => `${amount} per ${per}`)).toEqual([
    '$3.00 per 1M input tokens',
    '$6.00 per 1M input tokens, above 200,000 input tokens',
  ]);
});

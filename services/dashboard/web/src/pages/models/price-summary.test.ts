import { expect, test } from 'vitest';
import { priceSummary } from './price-summary.ts';

const summaryOf = (pricing: Record<string, string>) => priceSummary({ tier: 'paid', pricing });

test('a model with token prices shows those of a million input and output tokens', () => {
  const pricing = { input_per_million_usd: '2.5', output_per_million_usd: '10', audio_second_usd: '1' };
  expect(summaryOf(pricing)).toBe('$2.50\u00A0/\u00A0$10.00');
  expect(summaryOf({ input_per_million_usd: '0.1' })).toBe('$0.10\u00A0/\u00A0–');
});

test('a model with other prices shows their unit', () => {
  expect(summaryOf({ image_usd: '0.04' })).toBe('$0.04 per image');
  expect(summaryOf({})).toBe('–');
});

test('a free model shows no price, also if it has one', () => {
  expect(priceSummary({ tier: 'free', pricing: { image_usd: '0.04' } })).toBe('Free');
});

import type { Model } from './matching-models.ts';
import { type PriceLine, priceLines } from './price-lines.ts';

const NO_BREAK_SPACE = '\u00A0';

/** Summarizes prices: `$2.50 / $10.00` for a million tokens in and out, else `$0.04 per image`. */
export function priceSummary(model: Pick<Model, 'tier' | 'pricing'>): string {
  if (model.tier === 'free') return 'Free';
  const lines = priceLines({ pricing: model.pricing });
  const input = amountOf(lines, 'input_per_million_usd');
  const output = amountOf(lines, 'output_per_million_usd');
  if (input !== undefined || output !== undefined)
    return `${input ?? '–'} / ${output ?? '–'}`.replaceAll(' ', NO_BREAK_SPACE);
  return lines.map(({ amount, per }) => `${amount} per ${per}`).join(', ') || '–';
}

function amountOf(lines: readonly PriceLine[], price: string): string | undefined {
  return lines.find(({ id }) => id === price)?.amount;
}

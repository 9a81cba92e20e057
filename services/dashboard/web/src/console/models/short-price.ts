import { nestedPricing } from '@model-gateway/shared/prices';
import type { ResponseOf } from '../../../../wire/management.ts';
import { priceLines } from '../../pages/models/price-lines.ts';

type Priced = Pick<ResponseOf<'listModels'>['data'][number], 'kind' | 'pricing' | 'tier'>;

/** Lists the prices of a model as text, such as `$0.15 per 1M input tokens`. */
export function priceTexts(pricing: Readonly<Record<string, string>>): string[] {
  const { prices, serviceTiers, tiers } = nestedPricing(pricing);
  const services = serviceTiers.map(([tier, own]) => [tier, { ...own.prices, tiers: tiersOf(own) }] as const);
  const lines = priceLines({
    pricing: prices,
    pricing_tiers: tiersOf({ tiers }),
    pricing_service_tiers: Object.fromEntries(services),
  });
  return lines.map(({ amount, per }) => `${amount} per ${per}`);
}

function tiersOf({ tiers }: Pick<ReturnType<typeof nestedPricing>, 'tiers'>) {
  return tiers.map(({ above_input_tokens, prices }) => ({ above_input_tokens, ...prices }));
}

/** Returns the first two prices of a model. */
export function shortPrice({ kind, pricing, tier }: Priced): string {
  if (kind === 'virtual') return 'That of its models';
  if (tier === 'free') return 'Free';
  const texts = priceTexts(pricing);
  return texts.length > 2 ? `${texts.slice(0, 2).join(', ')}, …` : texts.join(', ');
}

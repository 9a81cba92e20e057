import type { ResponseOf } from '../../../../wire/management.ts';
import { priceLines } from '../../pages/models/price-lines.ts';

type Priced = Pick<ResponseOf<'listModels'>['data'][number], 'kind' | 'pricing' | 'tier'>;

const TIER = /^tiers\.(\d+)\.(.+)$/;

/** Lists the prices of a model as text, such as `$0.15 per 1M input tokens`. */
export function priceTexts(pricing: Readonly<Record<string, string>>): string[] {
  const tiers = new Map<number, Record<string, string>>();
  const base: Record<string, string> = {};
  for (const [name, usd] of Object.entries(pricing)) {
    const [, bound, own] = TIER.exec(name) ?? [];
    if (bound === undefined || own === undefined) base[name] = usd;
    else tiers.set(Number(bound), { ...tiers.get(Number(bound)), [own]: usd });
  }
  const lines = priceLines({
    pricing: base,
    pricing_tiers: [...tiers].map(([above_input_tokens, own]) => ({ above_input_tokens, ...own })),
  });
  return lines.map(({ amount, per }) => `${amount} per ${per}`);
}

/** Returns the first two prices of a model. */
export function shortPrice({ kind, pricing, tier }: Priced): string {
  if (kind === 'virtual') return 'That of its models';
  if (tier === 'free') return 'Free';
  const texts = priceTexts(pricing);
  return texts.length > 2 ? `${texts.slice(0, 2).join(', ')}, …` : texts.join(', ');
}

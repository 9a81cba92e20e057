import { formatPrice, parsePrice } from '@model-gateway/shared/money';
import { type PriceName, UNITS } from '@model-gateway/shared/units';
import { formatCount } from '../../format/format-count.ts';

/** `amount` per `per`: `$2.50` per `1M input tokens`. */
export interface PriceLine {
  id: string;
  amount: string;
  per: string;
}

/** The prices of a model in GET /v1/models. */
interface PricesOfModel {
  pricing: Prices;
  pricing_tiers?: readonly ({ above_input_tokens: number } & Prices)[] | undefined;
  pricing_service_tiers?: Readonly<Record<string, ServicePrices | undefined>> | undefined;
}

type ServicePrices = Prices & { tiers?: PricesOfModel['pricing_tiers'] };

/** Decimal strings by price name. */
type Prices = { readonly [Name in PriceName]?: string | undefined };

export function priceLines({
  pricing,
  pricing_tiers = [],
  pricing_service_tiers: services = {},
}: PricesOfModel): PriceLine[] {
  return [
    ...linesOf(pricing),
    ...pricing_tiers.flatMap(({ above_input_tokens: above, ...prices }) =>
      linesOf(prices).map(({ id, per, amount }) => ({
        id: `${above} ${id}`,
        per: `${per}, above ${formatCount(above)} input tokens`,
        amount,
      })),
    ),
    ...Object.entries(services).flatMap(([tier, own]) => (own === undefined ? [] : serviceLines(tier, own))),
  ];
}

function serviceLines(tier: string, { tiers, ...prices }: ServicePrices): PriceLine[] {
  const lines = priceLines({ pricing: prices, pricing_tiers: tiers });
  return lines.map(({ amount, id, per }) => ({
    id: `${tier} ${id}`,
    per: `${per}, service tier ${tier}`,
    amount,
  }));
}

function linesOf(prices: Prices): PriceLine[] {
  return UNITS.flatMap(({ price: { name, label, times } }) => {
    const usd = prices[name];
    return usd === undefined ? [] : [{ id: name, per: label, amount: price(usd, BigInt(times)) }];
  });
}

/** Formats a price with all its digits, at least cents, because price lists have fractions of a cent. */
function price(usd: string, times: bigint): string {
  const [whole, fraction = ''] = formatPrice((parsePrice(usd) ?? 0n) * times).split('.');
  return `$${formatCount(Number(whole))}.${fraction.padEnd(2, '0')}`;
}

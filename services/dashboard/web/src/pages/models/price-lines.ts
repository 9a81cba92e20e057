import { UNITS } from '@model-gateway/shared/units';
import { formatCount } from '../../format/format-count.ts';

/** A price in a unit that people can compare: `$2.50` per `1M input tokens`. */
export interface PriceLine {
  id: string;
  amount: string;
  per: string;
}

const NANO_DIGITS = 9;

/** @param pricing the prices of a model, decimal strings by what they are for */
export function priceLines(pricing: Record<string, string>): PriceLine[] {
  return UNITS.flatMap(({ price: { name, label, times } }) => {
    const usd = pricing[name];
    return usd === undefined ? [] : [{ id: name, per: label, amount: price(usd, BigInt(times)) }];
  });
}

/** All digits of a price, at least cents: those who compare prices want to see half a cent. */
function price(usd: string, times: bigint): string {
  const [whole = '0', fraction = ''] = usd.split('.');
  const nano = BigInt(whole + fraction.slice(0, NANO_DIGITS).padEnd(NANO_DIGITS, '0')) * times;
  const digits = String(nano).padStart(NANO_DIGITS + 1, '0');
  const decimals = digits.slice(-NANO_DIGITS).replace(/0+$/, '').padEnd(2, '0');
  return `$${formatCount(Number(digits.slice(0, -NANO_DIGITS)))}.${decimals}`;
}

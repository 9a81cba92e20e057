import { formatCount } from '../../format/format-count.ts';

/** A price in a unit that people can compare: `$2.50` per `1M input tokens`. */
export interface PriceLine {
  id: string;
  amount: string;
  per: string;
}

const NANO_DIGITS = 9;
const SECONDS_PER_MINUTE = 60n;

/** How the prices of the catalog file are shown, in this order. */
const PRICES = {
  input_per_million_usd: { per: '1M input tokens', times: 1n },
  cached_input_per_million_usd: { per: '1M cached input tokens', times: 1n },
  output_per_million_usd: { per: '1M output tokens', times: 1n },
  image_usd: { per: 'image', times: 1n },
  characters_per_million_usd: { per: '1M characters', times: 1n },
  audio_second_usd: { per: 'minute of audio', times: SECONDS_PER_MINUTE },
  search_unit_usd: { per: 'search unit', times: 1n },
} as const;

/** @param pricing the prices of a model, decimal strings by what they are for */
export function priceLines(pricing: Record<string, string>): PriceLine[] {
  return Object.entries(PRICES).flatMap(([id, { per, times }]) => {
    const usd = pricing[id];
    return usd === undefined ? [] : [{ id, per, amount: price(usd, times) }];
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

import { parseUsd } from '@model-gateway/shared/money';

/** The decimals of the unit that parseUsd counts in, billionths of a dollar. */
const NANO_DECIMALS = 9;

/** An exact amount: `digits` / 10^`decimals` US dollars. */
export interface ExactUsd {
  digits: bigint;
  decimals: number;
}

/**
 * Multiplies units by a price, exactly.
 * @param usd the price of `per` units (a power of ten), a decimal string
 * @throws RangeError if `usd` is not an amount
 */
export function timesPrice(count: number, usd: string, per: number): ExactUsd {
  const price = parseUsd(usd);
  if (price === undefined) throw new RangeError(`not an amount of US dollars: ${usd}`);
  return { digits: BigInt(count) * price, decimals: NANO_DECIMALS + Math.round(Math.log10(per)) };
}

export function sumOf(amounts: readonly ExactUsd[]): ExactUsd {
  const decimals = Math.max(0, ...amounts.map((amount) => amount.decimals));
  const digits = amounts.reduce(
    (sum, amount) => sum + amount.digits * 10n ** BigInt(decimals - amount.decimals),
    0n,
  );
  return { digits, decimals };
}

/** Formats all digits of an amount, at least cents: `$0.0000425` */
export function formatExactUsd({ digits, decimals }: ExactUsd): string {
  const text = String(digits).padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals);
  const fraction = text.slice(text.length - decimals).replace(/0+$/, '');
  return `$${whole}.${fraction.padEnd(2, '0')}`;
}

/** Like formatExactUsd, for a decimal string, which may be negative. */
export function formatFullUsd(usd: string): string {
  if (usd.startsWith('-')) return `-${formatFullUsd(usd.slice(1))}`;
  return formatExactUsd(timesPrice(1, usd, 1));
}

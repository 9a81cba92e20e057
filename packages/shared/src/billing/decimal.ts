/** An exact decimal number: `digits` × 10^-`scale`. */
export interface Decimal {
  digits: bigint;
  /** How many of the digits are after the decimal point; never negative. */
  scale: number;
}

const NUMBER = /^(-?)(\d{1,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,2}))?$/;
const NANO_SCALE = 9;

/** Parses decimal text such as "-0.25" or "1.5e-05" without a float. @returns undefined for anything else */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text.trim()) ?? [];
  if (sign === undefined) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** Multiplies exactly. */
export function times({ digits, scale }: Decimal, factor: bigint): Decimal {
  return { digits: digits * factor, scale };
}

/** Returns the number in units of 10^-`scale`, rounded to the nearest; halves away from zero. */
export function roundTo({ digits, scale }: Decimal, target: number): bigint {
  if (scale <= target) return digits * 10n ** BigInt(target - scale);
  const divisor = 10n ** BigInt(scale - target);
  const half = digits < 0n ? -divisor / 2n : divisor / 2n;
  return (digits + half) / divisor;
}

/** Rounds US dollars to the nearest nano-USD. */
export function nanoUsdOf(usd: Decimal): bigint {
  return roundTo(usd, NANO_SCALE);
}

/** Returns the number in units of 10^-`target`; undefined: that would need rounding. */
export function wholeAt({ digits, scale }: Decimal, target: number): bigint | undefined {
  if (scale <= target) return digits * 10n ** BigInt(target - scale);
  const divisor = 10n ** BigInt(scale - target);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** Returns a bigint if the number is whole, else its decimal text. */
export function wholeOrText(number: Decimal): bigint | string {
  return wholeAt(number, 0) ?? formatDecimal(number);
}

/** Formats a number without trailing zeros: "-0.25". */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const padded = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const whole = padded.slice(0, padded.length - scale);
  const fraction = padded.slice(padded.length - scale).replace(/0+$/, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

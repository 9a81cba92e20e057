import { parseUsd, formatUsd as usdOf } from '@model-gateway/shared/money';

/**
 * Formats US dollars to cents. Amounts below ten cents keep three significant digits (`$0.000123`), because a
 * short request costs less than a cent.
 * @param usd decimal string of US dollars
 */
export function formatUsd(usd: string): string {
  const amount = Number(usd);
  const size = Math.abs(amount);
  if (size === 0 || size >= 0.1) return cents.format(amount);
  return smallAmount.format(amount);
}

/**
 * Formats a balance, rounded down to cents, or to more digits if cents would hide that some was used:
 * `$4.9999` of $5.00, not `$5.00`.
 * @param leftUsd, wholeUsd decimal strings of US dollars
 */
export function formatUsdLeft(leftUsd: string, wholeUsd: string): string {
  const left = parseUsd(leftUsd) ?? 0n;
  const whole = parseUsd(wholeUsd) ?? 0n;
  const used = whole - left;
  let unit = NANO_PER_CENT;
  // Adds digits while they would hide a tiny used or remaining amount.
  while (unit > 1n && ((used > 0n && unit > used) || (left > 0n && unit > left))) unit /= 10n;
  return exactUsd(left - (left % unit));
}

const NANO_PER_CENT = 10_000_000n;

/** Without trailing zeros, but with cents. */
function exactUsd(nanoUsd: bigint): string {
  const [whole = '', decimals = ''] = usdOf(nanoUsd)
    .replace(/(\.\d\d\d*?)0+$/, '$1')
    .split('.');
  return `$${Number(whole).toLocaleString('en-US')}.${decimals}`;
}

/** Like formatUsd, but short, for the axis of a chart and other narrow places: `$1.2K`. */
export function formatUsdShort(amount: number): string {
  return Math.abs(amount) >= 1000 ? thousands.format(amount) : formatUsd(String(amount));
}

const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

const thousands = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
});

// Always writes cents, and three significant digits if that is more.
const smallAmount = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  maximumSignificantDigits: 3,
  roundingPriority: 'morePrecision',
});

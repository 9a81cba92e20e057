/**
 * Money is counted in whole billionths of a US dollar (nano-USD), as bigint. Decimal strings are used only
 * where people or other programs read it.
 */
const NANO_DIGITS = 9;
const NANO_PER_USD = 10n ** BigInt(NANO_DIGITS);
const DECIMAL = /^(\d{1,9})(?:\.(\d{1,9}))?$/;

/**
 * @param usd a decimal string such as "0.15", with at most nine digits on each side
 * @returns undefined for anything else
 */
export function parseUsd(usd: string): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(usd) ?? [];
  if (whole === undefined) return undefined;
  return BigInt(whole) * NANO_PER_USD + BigInt(fraction.padEnd(NANO_DIGITS, '0'));
}

/** Decimals of a price that a payer is charged: nine of the catalog, and six of a factor. */
const PRICE_DIGITS = 15;
const PRICE = /^(\d{1,12})(?:\.(\d{1,15}))?$/;

/**
 * Parses a price that a payer is charged: a catalog's price times a factor.
 * @returns millionths of a nano-USD; undefined for anything else
 */
export function parsePrice(usd: string): bigint | undefined {
  const [, whole, fraction = ''] = PRICE.exec(usd) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(PRICE_DIGITS, '0'));
}

/** @param price in millionths of a nano-USD @returns dollars without trailing zeros, such as "0.18" */
export function formatPrice(price: bigint): string {
  const digits = String(price).padStart(PRICE_DIGITS + 1, '0');
  return `${digits.slice(0, -PRICE_DIGITS)}.${digits.slice(-PRICE_DIGITS)}`.replace(/\.?0+$/, '');
}

/**
 * Formats an amount for sentences: dollars with cents, and more decimals only where they are not 0, such as
 * "0.15" or "0.0000045".
 */
export function shortUsd(nanoUsd: bigint): string {
  return formatUsd(nanoUsd).replace(/(\.\d\d\d*?)0+$/, '$1');
}

/** @returns dollars with nine decimals, such as "0.150000000" */
export function formatUsd(nanoUsd: bigint): string {
  const sign = nanoUsd < 0n ? '-' : '';
  const digits = String(nanoUsd < 0n ? -nanoUsd : nanoUsd).padStart(NANO_DIGITS + 1, '0');
  return `${sign}${digits.slice(0, -NANO_DIGITS)}.${digits.slice(-NANO_DIGITS)}`;
}

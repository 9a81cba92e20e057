/**
 * US dollars for people: at least cents; what is less than ten cents keeps three significant digits (`$0.000123`), so
 * that the price of a short request does not read as nothing.
 * @param usd decimal string of US dollars, as the server writes them
 */
export function formatUsd(usd: string): string {
  const amount = Number(usd);
  const size = Math.abs(amount);
  if (size === 0 || size >= 0.1) return cents.format(amount);
  return smallAmount.format(amount);
}

/** As formatUsd, for the axis of a chart and other narrow places: `$1.2K`. */
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

// Cents are always written, and three significant digits where that is more.
const smallAmount = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  maximumSignificantDigits: 3,
  roundingPriority: 'morePrecision',
});

/** Formats a whole number: `12,345`. */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** Formats a count for headlines and axes: `1.2M`; below 10,000 in full. */
export function formatCountShort(count: number): string {
  return Math.abs(count) < 10_000 ? whole.format(count) : compact.format(count);
}

/** `1 request`, `2 requests` */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a share of 1: `99.5%`. Shows 100% and 0% only if they are exact. */
export function formatShare(share: number): string {
  if (share > 0.9995 && share < 1) return '>99.9%';
  if (share > 0 && share < 0.0005) return '<0.1%';
  return percent.format(share);
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

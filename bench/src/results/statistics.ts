/** The middle value of several rounds, and how far they lie apart. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** @throws RangeError when there are no values */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const [upper, lower] = [sorted[middle], sorted[sorted.length % 2 === 0 ? middle - 1 : middle]];
  if (upper === undefined || lower === undefined) throw new RangeError('no values');
  return (upper + lower) / 2;
}

/**
 * The smallest value that is at least as large as this share of all; 1: the largest.
 * @throws RangeError when there are no values
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('no values');
  return value;
}

/** @throws RangeError when there are no values */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** `2.3 (2.1–2.6)`. One round has no spread; values that are no numbers are left out. */
export function spreadText(all: readonly number[], digits = 1): string {
  const values = all.filter(Number.isFinite);
  if (values.length === 0) return '–';
  const { median: middle, min, max } = spread(values);
  const text = (value: number) => numberText(value, digits);
  return values.length === 1 ? text(middle) : `${text(middle)} (${text(min)}–${text(max)})`;
}

/** Thousands are separated by commas. */
export function numberText(value: number, digits = 1): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

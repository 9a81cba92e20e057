/** The median of several rounds, and their range. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** @throws RangeError if there are no values */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const [upper, lower] = [sorted[middle], sorted[sorted.length % 2 === 0 ? middle - 1 : middle]];
  if (upper === undefined || lower === undefined) throw new RangeError('no values');
  return (upper + lower) / 2;
}

/**
 * Returns the smallest value that is not exceeded by this share of all; 1: the largest.
 * @throws RangeError if there are no values
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('no values');
  return value;
}

/** @throws RangeError if there are no values */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Formats as `2.3 (2.1–2.6)`, without values that are not numbers. One round has no spread. */
export function spreadText(all: readonly number[], digits = 1): string {
  const values = all.filter(Number.isFinite);
  if (values.length === 0) return '–';
  const { median: middle, min, max } = spread(values);
  const text = (value: number) => numberText(value, digits);
  return values.length === 1 ? text(middle) : `${text(middle)} (${text(min)}–${text(max)})`;
}

/** Formats a figure of several results. */
export function spreadOf<Item>(items: readonly Item[], pick: (item: Item) => number, digits: number): string {
  return spreadText(items.map(pick), digits);
}

/** Separates thousands by commas. */
export function numberText(value: number, digits = 1): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

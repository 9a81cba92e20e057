import { PARTS, perUnit, UNITS, type Unit, type Units } from './units.ts';

/** More than any request can use. Sums of millions of such counts still fit 64 bits. */
export const MAX_COUNT = 1e12;

const NAMES = UNITS.map(({ unit }) => unit);
const WHOLES = [...new Set(PARTS.map(({ whole }) => whole.unit))].map((whole) => ({
  whole,
  parts: PARTS.filter((each) => each.whole.unit === whole).map(({ part }) => part.unit),
}));

/** Returns true for counts that can be stored: whole numbers whose parts do not exceed their whole. */
export function unitsFit(units: Units): boolean {
  for (const unit of NAMES) if (!isCount(units[unit])) return false;
  for (const { whole, parts } of WHOLES) if (sumOf(units, parts) > units[whole]) return false;
  return true;
}

/**
 * Returns the nearest counts that can be stored and priced. What is no count becomes the maximum, so that it
 * is never cheaper than a count; a whole becomes at least the sum of its parts.
 */
export function fitUnits(units: Readonly<Partial<Record<Unit, unknown>>>): Units {
  const fitted = perUnit('unit', ({ unit }) => fitCount(units[unit] ?? 0));
  for (const { whole, parts } of WHOLES) {
    fitted[whole] = Math.min(Math.max(fitted[whole], sumOf(fitted, parts)), MAX_COUNT);
    let left = fitted[whole];
    for (const part of parts) {
      fitted[part] = Math.min(fitted[part], left);
      left -= fitted[part];
    }
  }
  return fitted;
}

/** Returns a whole number from 0 to MAX_COUNT; MAX_COUNT for what is no count, such as NaN. */
export function fitCount(count: unknown): number {
  return typeof count === 'number' && count >= 0 ? Math.min(Math.ceil(count), MAX_COUNT) : MAX_COUNT;
}

/** Returns true for whole numbers from 0 to MAX_COUNT. */
export function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 0 && count <= MAX_COUNT;
}

function sumOf(units: Units, parts: readonly Unit[]): number {
  let sum = 0;
  for (const part of parts) sum += units[part];
  return sum;
}

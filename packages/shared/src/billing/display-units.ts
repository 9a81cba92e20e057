import { perUnit, type Unit, type UnitRule } from './units.ts';

/**
 * Converts counts of units for people: audio in seconds.
 * @param counts whole numbers, also as decimal strings
 */
export function displayUnits<Name extends 'json' | 'shown'>(
  name: Name,
  counts: Readonly<Record<Unit, string | bigint | number>>,
): Record<UnitRule[Name], number> {
  return perUnit(name, ({ unit, shownPer }) => Number(counts[unit]) / shownPer);
}

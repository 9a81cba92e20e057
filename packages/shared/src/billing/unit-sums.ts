import { perUnit, type Unit } from './units.ts';

/** The units of many requests together, which may be too many for a JavaScript number. */
export type UnitSums = Record<Unit, bigint>;

export const NO_UNIT_SUMS: UnitSums = perUnit('unit', () => 0n);

export function addUnitSums(left: UnitSums, right: UnitSums): UnitSums {
  return perUnit('unit', ({ unit }) => left[unit] + right[unit]);
}

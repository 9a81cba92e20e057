import { perUnit, type Unit } from './units.ts';

/** Units of many requests together, which may be more than a number can count. */
export type UnitSums = Record<Unit, bigint>;

export const NO_UNIT_SUMS: UnitSums = perUnit('unit', () => 0n);

export function addUnitSums(left: UnitSums, right: UnitSums): UnitSums {
  return perUnit('unit', ({ unit }) => left[unit] + right[unit]);
}

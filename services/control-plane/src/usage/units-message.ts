import { perUnit, type UnitSums } from '@model-gateway/shared';

/** 64-bit integers travel as decimal strings. */
export function unitsMessage(units: UnitSums) {
  return perUnit('unit', ({ unit }) => String(units[unit]));
}

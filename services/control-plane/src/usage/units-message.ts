import { perUnit, type UnitSums } from '@model-gateway/shared';

export function unitsMessage(units: UnitSums) {
  return perUnit('unit', ({ unit }) => String(units[unit]));
}

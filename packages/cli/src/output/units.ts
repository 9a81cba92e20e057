import type { UnitsMessage } from '@model-gateway/contracts';
import { displayUnits, type JsonUnit, NO_UNITS, UNITS } from '@model-gateway/shared';

export type UnitsJson = Record<JsonUnit, number>;

/** @param units null when nothing was consumed */
export function unitsJson(units: UnitsMessage | null): UnitsJson {
  return displayUnits('json', units ?? NO_UNITS);
}

/** Returns the units that are not 0, so that an image model has no columns of tokens. */
export function unitsPresent(units: UnitsJson): JsonUnit[] {
  return UNITS.map(({ json }) => json).filter((unit) => units[unit] !== 0);
}

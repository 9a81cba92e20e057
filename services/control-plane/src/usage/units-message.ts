import { perUnit, type UnitSums } from '@model-gateway/shared';
import type { UsageSums } from './usage-page-store.ts';

export function unitsMessage(units: UnitSums) {
  return perUnit('unit', ({ unit }) => String(units[unit]));
}

/** @param withCost includes what providers charge, which only operators may see */
export function sumsMessage(sums: UsageSums, withCost: boolean) {
  return {
    requests: String(sums.requests),
    units: unitsMessage(sums),
    cost: String(sums.charged),
    ...(withCost && { providerCost: String(sums.providerCost) }),
  };
}

import { perUnit, type UnitSums } from '@model-gateway/shared';
import type { UsageSums } from './usage-page-store.ts';

export function unitsMessage(units: UnitSums) {
  return perUnit('unit', ({ unit }) => String(units[unit]));
}

export function sumsMessage(sums: UsageSums) {
  return { requests: String(sums.requests), units: unitsMessage(sums), cost: String(sums.charged) };
}

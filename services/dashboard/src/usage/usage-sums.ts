import type { UnitsMessage, UsageSumsMessage } from '@model-gateway/contracts';
import {
  addUnitSums,
  displayUnits,
  formatUsd,
  NO_UNIT_SUMS,
  NO_UNITS,
  perUnit,
  type UnitSums,
  type Units,
} from '@model-gateway/shared';
import type { UsageSums } from '../../wire/usage.ts';

/** Usage and cost; `cost` in nano-USD, `audioMs` in milliseconds. */
export interface Sums extends UnitSums {
  requests: bigint;
  cost: bigint;
}

export const NO_SUMS: Sums = { ...NO_UNIT_SUMS, requests: 0n, cost: 0n };

export function readSums(message: UsageSumsMessage | null): Sums {
  if (message === null) return NO_SUMS;
  const units: UnitsMessage | Units = message.units ?? NO_UNITS;
  return {
    ...perUnit('unit', ({ unit }) => BigInt(units[unit])),
    requests: BigInt(message.requests),
    cost: BigInt(message.cost),
  };
}

export function addSums(left: Sums, right: Sums): Sums {
  return {
    ...addUnitSums(left, right),
    requests: left.requests + right.requests,
    cost: left.cost + right.cost,
  };
}

/** Converts sums for the site. */
export function toUsageSums(sums: Sums): UsageSums {
  return { requests: Number(sums.requests), ...displayUnits('shown', sums), costUsd: formatUsd(sums.cost) };
}

import type { UnitsMessage, UsageSumsMessage } from '@model-gateway/contracts';
import { addUnitSums, formatUsd, NO_UNIT_SUMS, type UnitSums } from '@model-gateway/shared';
import type { UsageSums } from '../../wire/usage.ts';

/** What was used and charged; `cost` in nano-USD, `audioMs` in milliseconds. */
export interface Sums extends UnitSums {
  requests: bigint;
  cost: bigint;
}

export const NO_SUMS: Sums = { ...NO_UNIT_SUMS, requests: 0n, cost: 0n };

export function readSums(message: UsageSumsMessage | null): Sums {
  if (message === null) return NO_SUMS;
  return { ...readUnits(message.units), requests: BigInt(message.requests), cost: BigInt(message.cost) };
}

export function readUnits(units: UnitsMessage | null): UnitSums {
  if (units === null) return NO_UNIT_SUMS;
  return {
    inputTokens: BigInt(units.inputTokens),
    cachedInputTokens: BigInt(units.cachedInputTokens),
    outputTokens: BigInt(units.outputTokens),
    images: BigInt(units.images),
    characters: BigInt(units.characters),
    audioMs: BigInt(units.audioMs),
    searchUnits: BigInt(units.searchUnits),
  };
}

export function addSums(left: Sums, right: Sums): Sums {
  return {
    ...addUnitSums(left, right),
    requests: left.requests + right.requests,
    cost: left.cost + right.cost,
  };
}

/** The sums in the form that the site gets. */
export function usageSums(sums: Sums): UsageSums {
  return { requests: Number(sums.requests), ...unitSums(sums), costUsd: formatUsd(sums.cost) };
}

export function unitSums(sums: UnitSums): Omit<UsageSums, 'requests' | 'costUsd'> {
  return {
    inputTokens: Number(sums.inputTokens),
    cachedInputTokens: Number(sums.cachedInputTokens),
    outputTokens: Number(sums.outputTokens),
    images: Number(sums.images),
    characters: Number(sums.characters),
    audioSeconds: Number(sums.audioMs) / 1_000,
    searchUnits: Number(sums.searchUnits),
  };
}

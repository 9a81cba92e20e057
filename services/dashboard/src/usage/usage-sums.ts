import type { UnitsMessage, UsageSumsMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import type { UsageSums } from '../../wire/usage.ts';

/** What was used and charged; `cost` in nano-USD, `audioMs` in milliseconds. */
export interface Sums {
  requests: bigint;
  inputTokens: bigint;
  cachedInputTokens: bigint;
  outputTokens: bigint;
  images: bigint;
  characters: bigint;
  audioMs: bigint;
  searchUnits: bigint;
  cost: bigint;
}

export const NO_SUMS: Sums = {
  requests: 0n,
  inputTokens: 0n,
  cachedInputTokens: 0n,
  outputTokens: 0n,
  images: 0n,
  characters: 0n,
  audioMs: 0n,
  searchUnits: 0n,
  cost: 0n,
};

export function readSums(message: UsageSumsMessage | null): Sums {
  if (message === null) return NO_SUMS;
  return { ...readUnits(message.units), requests: BigInt(message.requests), cost: BigInt(message.cost) };
}

export function readUnits(units: UnitsMessage | null): Sums {
  if (units === null) return NO_SUMS;
  return {
    requests: 0n,
    inputTokens: BigInt(units.inputTokens),
    cachedInputTokens: BigInt(units.cachedInputTokens),
    outputTokens: BigInt(units.outputTokens),
    images: BigInt(units.images),
    characters: BigInt(units.characters),
    audioMs: BigInt(units.audioMs),
    searchUnits: BigInt(units.searchUnits),
    cost: 0n,
  };
}

export function addSums(left: Sums, right: Sums): Sums {
  return {
    requests: left.requests + right.requests,
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    images: left.images + right.images,
    characters: left.characters + right.characters,
    audioMs: left.audioMs + right.audioMs,
    searchUnits: left.searchUnits + right.searchUnits,
    cost: left.cost + right.cost,
  };
}

/** As the site gets them. */
export function usageSums(sums: Sums): UsageSums {
  return { requests: Number(sums.requests), ...unitSums(sums), costUsd: formatUsd(sums.cost) };
}

export function unitSums(sums: Sums): Omit<UsageSums, 'requests' | 'costUsd'> {
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

import type { Units } from './units.ts';

/** Units of many requests together, which may be more than a number can count. */
export type UnitSums = { [Unit in keyof Units]: bigint };

export const NO_UNIT_SUMS: UnitSums = {
  inputTokens: 0n,
  cachedInputTokens: 0n,
  outputTokens: 0n,
  images: 0n,
  characters: 0n,
  audioMs: 0n,
  searchUnits: 0n,
};

export function addUnitSums(left: UnitSums, right: UnitSums): UnitSums {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    images: left.images + right.images,
    characters: left.characters + right.characters,
    audioMs: left.audioMs + right.audioMs,
    searchUnits: left.searchUnits + right.searchUnits,
  };
}

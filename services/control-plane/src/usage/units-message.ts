import type { UsageSums } from './usage-page-store.ts';

/** 64-bit integers travel as decimal strings. */
export function unitsMessage(units: Omit<UsageSums, 'requests' | 'charged'>) {
  return {
    inputTokens: String(units.inputTokens),
    cachedInputTokens: String(units.cachedInputTokens),
    outputTokens: String(units.outputTokens),
    images: String(units.images),
    characters: String(units.characters),
    audioMs: String(units.audioMs),
    searchUnits: String(units.searchUnits),
  };
}

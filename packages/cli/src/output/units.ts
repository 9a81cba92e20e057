import type { UnitsMessage } from '@model-gateway/contracts';

/** In the order in which people see them. */
const UNITS = [
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'images',
  'characters',
  'audio_seconds',
  'search_units',
] as const;

export type UnitsJson = Record<(typeof UNITS)[number], number>;

/** @param units null: nothing was consumed */
export function unitsJson(units: UnitsMessage | null): UnitsJson {
  return {
    input_tokens: Number(units?.inputTokens ?? 0),
    cached_input_tokens: Number(units?.cachedInputTokens ?? 0),
    output_tokens: Number(units?.outputTokens ?? 0),
    images: Number(units?.images ?? 0),
    characters: Number(units?.characters ?? 0),
    audio_seconds: Number(units?.audioMs ?? 0) / 1_000,
    search_units: Number(units?.searchUnits ?? 0),
  };
}

/** Those that are not 0, so that an image model has no columns of tokens. */
export function unitsPresent(units: UnitsJson): (keyof UnitsJson)[] {
  return UNITS.filter((unit) => units[unit] !== 0);
}

const DIGITS = 4;

/** Returns the part of the input tokens that the provider read from its cache, 0 to 1; null without input. */
export function cachedInputShare(units: {
  input_tokens: number;
  cached_input_tokens: number;
}): number | null {
  const { cached_input_tokens: cached, input_tokens: input } = units;
  return input === 0 ? null : Number((cached / input).toFixed(DIGITS));
}

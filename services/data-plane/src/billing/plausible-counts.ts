/**
 * Above this, input is believed only if the request has as many bytes. Images at URLs have few bytes, but no
 * provider takes a million tokens of them at once.
 */
const MAX_INPUT_TOKENS = 1_000_000;
/** A count that is further off cannot be explained by a bound that is too low. */
const MAX_ERROR = 10;
/** The tokens of a provider's own prompt. */
const OWN_PROMPT_TOKENS = 100_000;

/** Returns true if a request that is no chat can have so many input tokens. @param max a token per byte */
export function isPlausibleInput(tokens: number, max: number): boolean {
  return tokens <= Math.max(MAX_INPUT_TOKENS, max);
}

/** Returns true if images can have used so many tokens, of input or of output. */
export function isPlausibleForImages(tokens: number, reserved: number): boolean {
  return tokens <= MAX_ERROR * reserved + OWN_PROMPT_TOKENS;
}

export function arePlausibleSearchUnits(units: number, reserved: number): boolean {
  return units <= MAX_ERROR * reserved;
}

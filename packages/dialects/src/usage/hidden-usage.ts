/** Nearly all hosted models write faster, so at least these were used. */
const TOKENS_PER_SECOND = 50;
/** Time for the network, the queue and the prompt, in which no model writes. */
const BEFORE_OUTPUT_MS = 2_000;
/** Members that ask for a cache write at Anthropic and Bedrock. A JSON string would escape the quotes. */
const CACHE_MARKS = ['"cache_control"', '"cachePoint"'];

/** Estimates the tokens that a model has written unseen. @param ms since the request was sent */
export function hiddenTokensIn(ms: number): number {
  return Math.floor((Math.max(0, ms - BEFORE_OUTPUT_MS) * TOKENS_PER_SECOND) / 1_000);
}

/** Returns true if a request, in any API, asks to cache its prompt. */
export function marksCache(request: readonly Buffer[]): boolean {
  const json = Buffer.concat(request);
  return CACHE_MARKS.some((mark) => json.includes(mark));
}

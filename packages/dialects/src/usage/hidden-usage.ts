/** Fewer than nearly all hosted models write per second, so that many must have been used. */
const TOKENS_PER_SECOND = 50;
/** Time for the network, the queue and the prompt, in which no model writes. */
const BEFORE_OUTPUT_MS = 2_000;
/** Members that ask for a cache write, in the APIs of Anthropic and Bedrock. */
const CACHE_MARKS = ['"cache_control"', '"cachePoint"'];

/** Estimates the tokens that a model has written unseen. @param ms since the request was sent */
export function hiddenTokensIn(ms: number): number {
  return Math.floor((Math.max(0, ms - BEFORE_OUTPUT_MS) * TOKENS_PER_SECOND) / 1_000);
}

/** Returns true if a request, in any API, asks to cache its prompt. A text has no such quotes. */
export function marksCache(request: readonly Buffer[]): boolean {
  const json = Buffer.concat(request);
  return CACHE_MARKS.some((mark) => json.includes(mark));
}

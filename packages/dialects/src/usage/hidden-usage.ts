/** Nearly all hosted models write faster, so at least these were used. */
const TOKENS_PER_SECOND = 50;
/** Time for the network, the queue and the prompt, in which no model writes. */
const BEFORE_OUTPUT_MS = 2_000;
/** Members that ask for a cache write at Anthropic and Bedrock. A JSON string would escape the quotes. */
const CACHE_MARKS = ['"cache_control"', '"cachePoint"'];

/** Hosted models think more slowly than this. */
const MAX_TOKENS_PER_SECOND = 200;

/** Returns the maximum tokens of hidden thinking. @param ms since the request was sent */
export function maxHiddenTokensIn(ms: number): number {
  return Math.floor((Math.max(0, ms - BEFORE_OUTPUT_MS) * MAX_TOKENS_PER_SECOND) / 1_000);
}

/** Estimates the tokens that a model has written unseen. @param ms since the request was sent */
export function hiddenTokensIn(ms: number): number {
  return Math.floor((Math.max(0, ms - BEFORE_OUTPUT_MS) * TOKENS_PER_SECOND) / 1_000);
}

/** The same with letters that are escaped. */
const ESCAPED_MARK = new RegExp(CACHE_MARKS.map(escapable).join('|'));

/** Returns true if a request, in any API, asks to cache its prompt. A text has no such quotes. */
export function marksCache(request: readonly Buffer[]): boolean {
  const json = Buffer.concat(request);
  if (CACHE_MARKS.some((mark) => json.includes(mark))) return true;
  return json.includes('\\u00') && ESCAPED_MARK.test(json.toString('latin1'));
}

/** Returns a pattern of a name as JSON may write it. Quotes around it are never escaped. */
function escapable(name: string): string {
  return name.replace(/\w/g, (letter) => {
    const code = letter.charCodeAt(0).toString(16);
    return `(?:${letter}|\\\\u00${code.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
}

import { estimatedTokens } from '@model-gateway/dialects';

/**
 * Tokenizers need quadratic time for the length of a word. No word of a language is this long; longer runs
 * are counted in parts, each cut adding at most one token.
 */
const LONG_RUN = /(\S{256}|\s{256})/;
/** Characters to count between two checks of the time limit. */
const PART_LENGTH = 16 * 1024;

export interface CountOptions {
  count: (part: string) => number;
  /** Returns true once counting took too long; the rest is then extrapolated. */
  isSpent: () => boolean;
}

export function countTexts(texts: Iterable<string>, { count, isSpent }: CountOptions): number {
  let tokens = 0;
  let counted = 0;
  let skipped = 0;
  for (const text of texts) {
    for (const part of partsOf(text)) {
      if (skipped > 0 || isSpent()) skipped += part.length;
      else {
        tokens += count(part);
        counted += part.length;
      }
    }
  }
  if (skipped === 0) return tokens;
  return tokens + (counted === 0 ? estimatedTokens(skipped) : Math.ceil((skipped * tokens) / counted));
}

function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += PART_LENGTH) {
    yield* text.slice(start, start + PART_LENGTH).split(LONG_RUN);
  }
}

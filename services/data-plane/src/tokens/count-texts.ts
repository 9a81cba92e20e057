import { estimatedTokens } from '@model-gateway/dialects';

/**
 * Tokenizers merge the characters of a word pair by pair, in a time that grows with the square of its length.
 * No word of a language is longer than this; a longer run is counted in parts, each cut a token too many at
 * most.
 */
const LONG_RUN = /(\S{256}|\s{256})/;
/** Between two parts of this size it is decided whether counting goes on. */
const PART_LENGTH = 16 * 1024;

export interface CountOptions {
  /** Counts one part of a text. */
  count: (part: string) => number;
  /** True if counting has taken so long that the rest is reckoned from what was counted. */
  isSpent: () => boolean;
}

export function countTexts(texts: Iterable<string>, { count, isSpent }: CountOptions): number {
  let tokens = 0;
  let counted = 0;
  let left = 0;
  for (const text of texts) {
    for (const part of partsOf(text)) {
      if (left > 0 || isSpent()) left += part.length;
      else {
        tokens += count(part);
        counted += part.length;
      }
    }
  }
  if (left === 0) return tokens;
  return tokens + (counted === 0 ? estimatedTokens(left) : Math.ceil((left * tokens) / counted));
}

function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += PART_LENGTH) {
    yield* text.slice(start, start + PART_LENGTH).split(LONG_RUN);
  }
}

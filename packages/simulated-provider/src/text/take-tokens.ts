import type { Tokenizer } from './tokenizer.ts';

/** Takes the beginning of a text. A character of several tokens is left out rather than torn apart. */
export function takeTokens(
  text: string,
  limit: number | undefined,
  tokenizer: Tokenizer,
): { text: string; tokens: number; isCut: boolean } {
  if (limit === undefined) return { text, tokens: tokenizer.count(text), isCut: false };
  let taken = '';
  let tokens = 0;
  for (const piece of tokenizer.pieces(text)) {
    if (tokens + piece.tokens > limit) return { text: taken, tokens: limit, isCut: true };
    taken += piece.text;
    tokens += piece.tokens;
  }
  return { text, tokens, isCut: false };
}

/** Some text and its number of tokens. */
export interface TokenPiece {
  text: string;
  tokens: number;
}

/** Byte-pair encoding takes quadratic time on a long run without spaces, so it gets one slice at a time. */
const SLICE_CHARACTERS = 4_000;
/** Longer texts are extrapolated: counting many megabytes would block the process. */
const MAX_COUNTED_CHARACTERS = 200_000;
/** Text that looks like a special token is plain text, as it is for a real provider. */
const ALL_TEXT = { disallowedSpecial: new Set<string>() };

let encoding: typeof import('gpt-tokenizer/encoding/o200k_base') | undefined;

/** Loads OpenAI's o200k encoding. Its tables have megabytes, so this must not delay the start. */
export async function loadTokenizer(): Promise<void> {
  encoding ??= await import('gpt-tokenizer/encoding/o200k_base');
}

export function countTokens(text: string): number {
  const { countTokens: count } = loadedEncoding();
  const counted = text.slice(0, MAX_COUNTED_CHARACTERS);
  let tokens = 0;
  for (const slice of slicesOf(counted)) tokens += count(slice, ALL_TEXT);
  return counted.length === text.length ? tokens : Math.ceil((tokens * text.length) / counted.length);
}

export function sumTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + countTokens(text), 0);
}

/** Cuts a text into tokens. Tokens that only together make a character are one piece. */
export function* tokenPieces(text: string): Generator<TokenPiece> {
  const { decodeGenerator, encode } = loadedEncoding();
  for (const slice of slicesOf(text)) {
    let read = 0;
    const tokens = (function* () {
      for (const token of encode(slice, ALL_TEXT)) {
        read += 1;
        yield token;
      }
    })();
    const pieces: TokenPiece[] = [];
    let before = 0;
    // Decodes the whole slice before it yields: the library stores half a character in global state.
    for (const piece of decodeGenerator(tokens)) {
      pieces.push({ text: piece, tokens: read - before });
      before = read;
    }
    yield* pieces;
  }
}

/** Tokens of a page, which is read as text and as a picture. */
export const TOKENS_PER_PAGE = 2_000;

/** Counts the pages of a PDF that are listed without compression; at least one. */
export function countPages(base64: string): number {
  const pages = Buffer.from(base64, 'base64')
    .toString('latin1')
    .match(/\/Type\s*\/Page\b/g);
  return Math.max(1, pages?.length ?? 0);
}

/** Takes the beginning of a text. Omits a character of several tokens rather than cutting it. */
export function takeTokens(text: string, limit: number | undefined): TokenPiece & { isCut: boolean } {
  if (limit === undefined) return { text, tokens: countTokens(text), isCut: false };
  let taken = '';
  let tokens = 0;
  for (const piece of tokenPieces(text)) {
    if (tokens + piece.tokens > limit) return { text: taken, tokens: limit, isCut: true };
    taken += piece.text;
    tokens += piece.tokens;
  }
  return { text, tokens, isCut: false };
}

/** Cuts a text, before spaces if possible, as the encoding does itself; never inside a surrogate pair. */
export function* slicesOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + SLICE_CHARACTERS, text.length);
    if (end < text.length) {
      const space = text.lastIndexOf(' ', end);
      if (space > start) end = space;
      else if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function loadedEncoding() {
  if (encoding === undefined) throw new Error('loadTokenizer() comes first');
  return encoding;
}

/** Some text and how many tokens it is. */
export interface TokenPiece {
  text: string;
  tokens: number;
}

export interface Tokenizer {
  count(text: string): number;
  /** Cuts a text into tokens; tokens that only together make a character come as one piece. */
  pieces(text: string): Generator<TokenPiece>;
}

/** Byte-pair encoding takes quadratic time on a long run without spaces: it gets at most this at a time. */
const SLICE_CHARACTERS = 4_000;
/** The tokens of longer texts are extrapolated: a request of many megabytes must not block the process. */
const MAX_COUNTED_CHARACTERS = 200_000;
/** Text that looks like a special token is plain text, as it is for a real provider. */
const ALL_TEXT = { disallowedSpecial: new Set<string>() };

let loading: Promise<Tokenizer> | undefined;

/** Loads OpenAI's o200k encoding: megabytes of tables, so at the first call and not at the start. */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Tokenizer> {
  const { countTokens, decodeGenerator, encode } = await import('gpt-tokenizer/encoding/o200k_base');
  return {
    count(text) {
      const counted = text.slice(0, MAX_COUNTED_CHARACTERS);
      let tokens = 0;
      for (const slice of slicesOf(counted)) tokens += countTokens(slice, ALL_TEXT);
      return counted.length === text.length ? tokens : Math.ceil((tokens * text.length) / counted.length);
    },
    *pieces(text) {
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
        // Decoded in one go: the library keeps half a character in a state that all callers share.
        for (const piece of decodeGenerator(tokens)) {
          pieces.push({ text: piece, tokens: read - before });
          before = read;
        }
        yield* pieces;
      }
    },
  };
}

/** Cuts a text, before spaces where it can, as the encoding does itself; never inside a surrogate pair. */
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

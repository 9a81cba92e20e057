import { invalidFilter } from '../scim-error.ts';

export type Token =
  | { kind: 'word' | 'mark'; text: string }
  | { kind: 'value'; value: string | number | boolean | null };

const LITERALS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Matches a JSON string, a number, a bracket or a word. */
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?![\w.:-]))|([()[\]])|([\w.:$-]+))/y;

/** Splits a filter into words, marks and values. @throws ScimError 400 invalidFilter */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const [match, quoted, number, mark, word] = TOKEN.exec(trimmed) ?? [];
    if (match === undefined) throw invalidFilter('the filter has an unexpected character');
    if (quoted !== undefined) tokens.push({ kind: 'value', value: parseText(quoted) });
    else if (number !== undefined) tokens.push({ kind: 'value', value: Number(number) });
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark });
    else if (word !== undefined) tokens.push(wordOrLiteral(word));
  }
  return tokens;
}

function wordOrLiteral(word: string): Token {
  const literal = LITERALS.get(word.toLowerCase());
  return literal === undefined ? { kind: 'word', text: word } : { kind: 'value', value: literal };
}

function parseText(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw invalidFilter('a text in double quotes is not valid JSON');
  }
}

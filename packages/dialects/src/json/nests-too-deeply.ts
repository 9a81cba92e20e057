import { endOfString } from './end-of-string.ts';

const QUOTE = 0x22;

/**
 * Returns true if arrays and objects of JSON stand deeper in one another than that. Looked at before it is
 * parsed: the parser takes seconds for millions of brackets.
 */
export function nestsTooDeeply(json: string, mostDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    // [ and {, ] and }: they differ by one bit.
    else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (depth > mostDepth) return true;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return false;
}

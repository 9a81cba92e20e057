import { endOfString } from './end-of-string.ts';

const QUOTE = 0x22;

/**
 * Returns true if arrays and objects nest deeper than `maxDepth`. Call it before parsing: the parser takes
 * seconds for millions of brackets.
 */
export function nestsTooDeeply(json: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    // [ and { differ in one bit, and so do ] and }.
    else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return false;
}

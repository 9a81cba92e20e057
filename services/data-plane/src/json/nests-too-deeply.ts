const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether arrays and objects of JSON stand deeper in one another than that. Looked at before it is parsed: the
 * parser takes seconds for millions of brackets.
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

/** @returns the place of the quotation mark that ends the string; that of the end where none does */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    if (!isEscaped(json, at)) return at;
  }
  return json.length;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

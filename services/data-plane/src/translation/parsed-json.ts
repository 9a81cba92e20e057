/** As deep as a request may nest; whatever walks through a value later stays shallow. */
const MAX_DEPTH = 128;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The value of JSON that stands as text inside a request, where nothing has bounded its nesting yet.
 * @returns undefined for what is no JSON, or nests more deeply than a request may
 */
export function parsedJson(text: string): unknown {
  if (nestsTooDeeply(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Looked at beforehand: the parser takes seconds for millions of brackets. */
function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    // [ and {, ] and }: they differ by one bit.
    else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return false;
}

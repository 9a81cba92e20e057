const BACKSLASH = 0x5c;

/**
 * Returns the position of the quote that closes the JSON string opened at `start`, or the length of the text
 * if none does.
 */
export function endOfString(json: string, start: number): number {
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

const BACKSLASH = 0x5c;

/**
 * Where a string of JSON ends, which begins with the quotation mark at `start`.
 * @returns the place of its other quotation mark; the length of the JSON where it has none
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

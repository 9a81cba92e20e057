const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const SLASH = 0x2f;
const LOWER_U = 0x75;
/** The length of `\u` with four digits. */
const UNICODE_ESCAPE_BYTES = 6;

/** Matches escapes of ASCII characters that need none: they could hide a secret from a text search. */
const NEEDLESS_ESCAPES = /\\(?:\/|u00[2-7])/i;

/** Does the same as `plainEscapes` for whole JSON. */
export function withPlainEscapes(json: string): string {
  return NEEDLESS_ESCAPES.test(json) ? plainEscapes(Buffer.from(json)).bytes.toString() : json;
}

/**
 * Replaces needless escapes of ASCII characters, such as `\/` and `\u0041`, by the characters.
 * @param json a part of valid JSON that begins outside of an escape
 * @returns `rest`: an escape that is incomplete at the end
 */
export function plainEscapes(json: Buffer): { bytes: Buffer; rest: Buffer } {
  let position = json.indexOf(BACKSLASH);
  if (position === -1) return { bytes: json, rest: Buffer.alloc(0) };
  const parts: Buffer[] = [];
  let copied = 0;
  while (position !== -1) {
    const next = json[position + 1];
    const length = next === LOWER_U ? UNICODE_ESCAPE_BYTES : 2;
    if (position + length > json.length) break;
    const plain = next === SLASH ? SLASH : next === LOWER_U ? plainByte(json, position) : undefined;
    if (plain !== undefined) {
      parts.push(json.subarray(copied, position), Buffer.of(plain));
      copied = position + length;
    }
    position = json.indexOf(BACKSLASH, position + length);
  }
  const end = position === -1 ? json.length : position;
  const rest = json.subarray(end);
  if (parts.length === 0) return { bytes: json.subarray(0, end), rest };
  parts.push(json.subarray(copied, end));
  return { bytes: Buffer.concat(parts), rest };
}

/** Returns the visible ASCII character of a `\u` escape, if it needs no escape in a string. */
function plainByte(json: Buffer, position: number): number | undefined {
  const code = Number.parseInt(json.toString('latin1', position + 2, position + UNICODE_ESCAPE_BYTES), 16);
  const needsEscape = code === QUOTE || code === BACKSLASH;
  return code >= 0x20 && code < 0x7f && !needsEscape ? code : undefined;
}

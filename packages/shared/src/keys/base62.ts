const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A buffer of random bytes: fetching them for each id took 3.6 µs, ten times as long as everything else. */
const stock = new Uint8Array(4_096);
let used = stock.length;

/** Encodes a number in base62 with the alphabet 0-9A-Za-z, left-padded with `0` to `length` characters. */
export function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}

/** Decodes base62; undefined: not base62. Exact up to 2^53. */
export function numberOfBase62(text: string): number | undefined {
  let value = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    value = value * 62 + digit;
  }
  return text === '' ? undefined : value;
}

/** Encodes 32 bits in base62. They are a plain number, because a BigInt costs half a microsecond. */
export function base62OfUint32(value: number, length: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = ALPHABET.charAt(rest % 62) + text;
  return text.padStart(length, '0');
}

/** Returns `length` base62 characters, each with at least 5.9 bits of randomness. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = nextRandomByte();
    // 248 is the largest multiple of 62 in a byte. Larger bytes would favor the first characters.
    if (byte < 248) text += ALPHABET.charAt(byte % 62);
  }
  return text;
}

/** Returns the next byte of the stock. Each byte is used only once. */
function nextRandomByte(): number {
  if (used === stock.length) {
    crypto.getRandomValues(stock);
    used = 0;
  }
  return stock[used++] ?? 255;
}

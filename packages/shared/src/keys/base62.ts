const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Base62 with the alphabet 0-9A-Za-z, left-padded with `0` to `length` characters. */
export function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}

/** `length` base62 characters that carry at least 5.9 bits of randomness each. */
export function randomBase62(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length + 8));
  let text = '';
  while (text.length < length) {
    for (const byte of bytes) {
      // 248 is the largest multiple of 62 in a byte: beyond it, low characters would be likelier.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
    crypto.getRandomValues(bytes);
  }
  return text;
}

import { isUtf8 } from 'node:buffer';

/** Checks that bytes are UTF-8 while they arrive. Chunks may split a character. */
export class Utf8Check {
  /** The start of a character whose rest has not arrived. */
  #open: Buffer = Buffer.alloc(0);

  /** @returns false if the bytes are not UTF-8 */
  push(chunk: Buffer): boolean {
    let rest = chunk;
    if (this.#open.length > 0) {
      const missing = lengthOf(this.#open[0] ?? 0) - this.#open.length;
      const character = Buffer.concat([this.#open, chunk.subarray(0, missing)]);
      if (chunk.length < missing) {
        this.#open = character;
        return true;
      }
      if (!isUtf8(character)) return false;
      rest = chunk.subarray(missing);
    }
    const whole = rest.length - openTail(rest);
    this.#open = Buffer.from(rest.subarray(whole));
    return isUtf8(rest.subarray(0, whole));
  }

  /** Returns true if the last character is complete. */
  get isWhole(): boolean {
    return this.#open.length === 0;
  }
}

/** Returns the length of the character that starts with this byte. */
function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

/** Returns how many bytes at the end belong to an incomplete character. */
function openTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

import { notPlainJson } from '@model-gateway/shared/errors';

const BACKSLASH = 0x5c;

/**
 * Finds the ends of strings in linear time. Caches the next quote and the next backslash: otherwise each
 * escape would search again for the quote, and each string would search the whole text for a backslash.
 */
export class StringEnds {
  readonly #text: string;
  #quote = -1;
  #backslash = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** @returns the position after the closing quote of the string that opens at `start` */
  after(start: number): number {
    let position = start + 1;
    for (;;) {
      if (this.#quote < position) this.#quote = this.#text.indexOf('"', position);
      if (this.#quote === -1) throw notPlainJson('has a string without an end');
      const backslash = this.#nextBackslash(position);
      if (backslash > this.#quote) return this.#quote + 1;
      position = afterEscape(this.#text, backslash);
    }
  }

  #nextBackslash(position: number): number {
    if (this.#backslash < position) {
      const found = this.#text.indexOf('\\', position);
      this.#backslash = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#backslash;
  }
}

function afterEscape(text: string, backslash: number): number {
  if (text.charCodeAt(backslash + 1) !== 0x75) return backslash + 2;
  // Only \uD800 to \uDFFF are halves of pairs. "d" and "D" differ in one bit.
  if ((text.charCodeAt(backslash + 2) | 0x20) !== 0x64) return backslash + 6;
  const unit = Number.parseInt(text.slice(backslash + 2, backslash + 6), 16);
  const next = backslash + 6;
  if (unit >= 0xdc00 && unit <= 0xdfff) throw notPlainJson('has half of a surrogate pair in a string');
  if (unit < 0xd800 || unit > 0xdbff) return next;
  const isEscape = text.charCodeAt(next) === BACKSLASH && text.charCodeAt(next + 1) === 0x75;
  const low = isEscape ? Number.parseInt(text.slice(next + 2, next + 6), 16) : 0;
  if (low < 0xdc00 || low > 0xdfff) throw notPlainJson('has half of a surrogate pair in a string');
  return next + 6;
}

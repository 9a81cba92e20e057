/** Text that is stored of one body. */
export const MAX_TEXT_BYTES = 256 * 1024;
/** A longer string of JSON that is base64 is media. */
const MAX_BASE64_BYTES = 1_024;
const FIRST_BYTES = 4_096;
const QUOTE = '"'.charCodeAt(0);
/** The start of a string: the beginning of a data URL, if it is one, then base64; `\` as in `\/`. */
const BASE64 = /^(data:[\w./+-]{1,100}(?:;[\w.=-]{1,100})?;base64,)?[\w+/\\=-]+$/;
const NOTHING = Buffer.alloc(0);

/** Memory for copies of bodies. */
export interface CopyMemory {
  /** @returns false if there is not enough */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
}

/** Copy of a body as it is reported. */
export interface CopiedBody {
  contentType: string;
  bytes: number;
  /** Left out: media. */
  text?: Buffer;
  cut: boolean;
}

/**
 * Copies the first 256 KiB of the text of a body, piece by piece. Replaces base64 of media in JSON by its
 * length. Searches only for quotation marks, and not for each, so that neither a picture of many megabytes
 * nor thousands of short strings cost much.
 */
export class BodyCopy {
  readonly contentType: string;
  readonly #memory: CopyMemory;
  readonly #isText: boolean;
  #text = NOTHING;
  #length = 0;
  /** Bytes since the last quotation mark, all of them in the text; Infinity: it is decided what they are. */
  #inString = 0;
  /** Bytes of base64 left out of the present string. */
  #leftOut = 0;
  #bytes = 0;
  #isCut = false;
  #isLost = false;

  constructor(contentType: string, memory: CopyMemory) {
    this.contentType = contentType;
    this.#memory = memory;
    this.#isText = /^(?:application\/json|multipart\/form-data|text\/)/i.test(contentType);
  }

  /** True if there was no memory for it. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Memory that it takes, in bytes. */
  get heldBytes(): number {
    return this.#text.length;
  }

  /** @param bytes of the whole body, if `piece` stands for it */
  add(piece: Buffer, bytes = piece.length): void {
    this.#bytes += bytes;
    if (!this.#isText) return;
    for (let at = 0; at < piece.length && !this.#isCut && !this.#isLost; ) at = this.#addFrom(piece, at);
  }

  end(): CopiedBody {
    if (this.#leftOut > 0) this.#noteLeftOut();
    const text = this.#isText ? { text: this.#text.subarray(0, this.#length) } : {};
    return { contentType: this.contentType, bytes: this.#bytes, cut: this.#isCut, ...text };
  }

  /** Gives its memory back. */
  drop(): void {
    this.#memory.giveBack(this.#text.length);
    this.#text = NOTHING;
    this.#length = 0;
  }

  /** Adds bytes up to a quotation mark, or as many as can be. @returns where the rest begins */
  #addFrom(piece: Buffer, at: number): number {
    if (this.#leftOut > 0) {
      const quote = piece.indexOf(QUOTE, at);
      const end = quote === -1 ? piece.length : quote;
      this.#leftOut += end - at;
      if (quote !== -1) this.#noteLeftOut();
      return end;
    }
    const isDecided = this.#inString > MAX_BASE64_BYTES;
    const undecided = at + MAX_BASE64_BYTES - this.#inString;
    // Backwards: among many short strings, one search finds the end of all that fit.
    const quote = isDecided ? piece.indexOf(QUOTE, at) : piece.lastIndexOf(QUOTE, undecided);
    if (quote >= at) {
      this.#write(piece.subarray(at, quote + 1));
      this.#inString = 0;
      return quote + 1;
    }
    const end = isDecided ? piece.length : Math.min(piece.length, undecided);
    this.#write(piece.subarray(at, end));
    if (end < piece.length) this.#leaveOutBase64();
    else this.#inString += end - at;
    return end;
  }

  /** Decides by its first bytes whether the present string is media. */
  #leaveOutBase64(): void {
    const start = this.#length - MAX_BASE64_BYTES;
    this.#inString = Number.POSITIVE_INFINITY;
    if (this.#isCut || this.#isLost) return;
    const match = BASE64.exec(this.#text.toString('latin1', start, this.#length));
    if (match === null) return;
    const prefix = match[1]?.length ?? 0;
    this.#leftOut = MAX_BASE64_BYTES - prefix;
    this.#length = start + prefix;
  }

  #noteLeftOut(): void {
    this.#write(Buffer.from(`[${this.#leftOut} characters of base64]`));
    this.#leftOut = 0;
  }

  #write(bytes: Buffer): void {
    const length = Math.min(bytes.length, MAX_TEXT_BYTES - this.#length);
    if (length < bytes.length) this.#isCut = true;
    if (!this.#grow(this.#length + length)) return;
    bytes.copy(this.#text, this.#length, 0, length);
    this.#length += length;
  }

  #grow(needed: number): boolean {
    if (needed <= this.#text.length) return true;
    const size = Math.min(MAX_TEXT_BYTES, Math.max(FIRST_BYTES, 2 * this.#text.length, needed));
    if (!this.#memory.take(size - this.#text.length)) {
      this.#isLost = true;
      this.drop();
      return false;
    }
    const grown = Buffer.allocUnsafeSlow(size);
    this.#text.copy(grown, 0, 0, this.#length);
    this.#text = grown;
    return true;
  }
}

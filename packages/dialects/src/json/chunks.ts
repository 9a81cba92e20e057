/** Addresses several buffers as one sequence of bytes. */
export class Chunks {
  readonly size: number;
  readonly #chunks: readonly Buffer[];

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks;
    this.size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** Returns the bytes from `start` to before `end`, without copying them. */
  slice(start: number, end: number): Buffer[] {
    const parts: Buffer[] = [];
    let at = 0;
    for (const chunk of this.#chunks) {
      if (at >= end) break;
      if (at + chunk.length > start) {
        const part = chunk.subarray(Math.max(0, start - at), end - at);
        if (part.length > 0) parts.push(part);
      }
      at += chunk.length;
    }
    return parts;
  }

  /** @returns -1 if the byte does not occur */
  lastIndexOf(byte: number): number {
    let at = this.size;
    for (const chunk of [...this.#chunks].reverse()) {
      at -= chunk.length;
      const found = chunk.lastIndexOf(byte);
      if (found !== -1) return at + found;
    }
    return -1;
  }
}

/** Returns the bytes in all chunks. */
export function totalLength(chunks: readonly Uint8Array[]): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

/** Addresses several buffers as one sequence of bytes. */
export class Chunks {
  readonly size: number;
  readonly #chunks: readonly Buffer[];

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks;
    this.size = totalLength(chunks);
  }

  /** Appends the bytes from `start` to before `end` to `parts`, without copying them. @returns `parts` */
  slice(start: number, end: number, parts: Buffer[] = []): Buffer[] {
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
    for (const chunk of this.#chunks.toReversed()) {
      at -= chunk.length;
      const found = chunk.lastIndexOf(byte);
      if (found !== -1) return at + found;
    }
    return -1;
  }
}

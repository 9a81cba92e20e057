/** Smaller chunks are joined: each takes 200 bytes more, and a peer may send every byte by itself. */
const SMALL_CHUNK_BYTES = 4 * 1024;
const JOINED_BYTES = 64 * 1024;
const MAX_SMALL = 256;

/** The bytes of a body in the order of their arrival. */
export class ChunkList {
  readonly #chunks: Buffer[] = [];
  #small: Buffer[] = [];
  #smallBytes = 0;

  add(chunk: Buffer): void {
    if (chunk.length >= SMALL_CHUNK_BYTES) {
      this.#join();
      this.#chunks.push(chunk);
      return;
    }
    this.#small.push(chunk);
    this.#smallBytes += chunk.length;
    if (this.#smallBytes >= JOINED_BYTES || this.#small.length >= MAX_SMALL) this.#join();
  }

  all(): Buffer[] {
    this.#join();
    return this.#chunks;
  }

  #join(): void {
    const [only] = this.#small;
    if (only === undefined) return;
    this.#chunks.push(this.#small.length === 1 ? only : Buffer.concat(this.#small));
    this.#small = [];
    this.#smallBytes = 0;
  }
}

import { getHeapStatistics } from 'node:v8';

/** A body is in memory up to this many times on its way: as bytes, as text, and as what the provider gets. */
const COPIES = 8;

/** Bounds what all request bodies of this process take together, so that a few large ones cannot end it. */
export class BodyBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  /** @param maxBytes of bodies that are being read or forwarded at one time; by default a share of the heap */
  constructor(maxBytes: number = Math.floor(getHeapStatistics().heap_size_limit / COPIES)) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** @returns false when there is no room, and nothing was taken */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#maxBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

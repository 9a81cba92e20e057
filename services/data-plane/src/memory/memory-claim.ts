/** Whose memory it is: what one key takes counts for its account, too. */
export interface MemoryOwner {
  readonly keyId: string;
  readonly accountId: string;
}

/** Where claims take from. */
export interface ClaimedMemory {
  /** @returns false when there is no room in the reserve, and nothing was taken */
  takeReserved(owner: MemoryOwner, bytes: number, alreadyTaken: number): boolean;
  /** @returns false when there is no room, or others wait for it; nothing was taken then */
  takeShared(owner: MemoryOwner, bytes: number): boolean;
  /** Takes from what all share as soon as there is room. @throws when none comes in time; the signal's reason */
  waitFor(owner: MemoryOwner, bytes: number, signal: AbortSignal): Promise<void>;
  giveBack(owner: MemoryOwner, sharedBytes: number, reservedBytes: number): void;
}

/** What one request has of a budget. */
export class MemoryClaim {
  readonly #budget: ClaimedMemory;
  readonly #owner: MemoryOwner;
  #sharedBytes = 0;
  #reservedBytes = 0;
  #isOver = false;

  constructor(budget: ClaimedMemory, owner: MemoryOwner) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** @returns false when there is no room at the moment, and nothing was taken */
  tryTake(bytes: number): boolean {
    if (this.#isOver) return false;
    const taken = this.#sharedBytes + this.#reservedBytes;
    if (this.#budget.takeReserved(this.#owner, bytes, taken)) {
      this.#reservedBytes += bytes;
      return true;
    }
    if (!this.#budget.takeShared(this.#owner, bytes)) return false;
    this.#sharedBytes += bytes;
    return true;
  }

  /**
   * Takes bytes when there is room for them.
   * @throws GatewayError 503 when none comes for a while; the signal's reason
   */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.tryTake(bytes)) return;
    await this.#budget.waitFor(this.#owner, bytes, signal);
    // The request may have ended in the moment in which the room came.
    if (this.#isOver) this.#budget.giveBack(this.#owner, bytes, 0);
    else this.#sharedBytes += bytes;
  }

  /** What turned out not to be needed, of what was taken from what all share. */
  giveBackUnused(bytes: number): void {
    if (this.#isOver) return;
    const unused = Math.min(bytes, this.#sharedBytes);
    this.#sharedBytes -= unused;
    this.#budget.giveBack(this.#owner, unused, 0);
  }

  /** All of it, for good; may be called more than once. */
  giveBack(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#budget.giveBack(this.#owner, this.#sharedBytes, this.#reservedBytes);
  }
}

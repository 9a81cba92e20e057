import type { MemoryOwner } from './shared-room.ts';

/** Where claims take from. It counts what each of them has. */
export interface ClaimedMemory {
  /** @returns false when there is no room, or others wait for it; nothing was taken then */
  take(claim: MemoryClaim, bytes: number): boolean;
  /** Takes as soon as there is room. @throws when none comes in time; the signal's reason */
  waitFor(claim: MemoryClaim, bytes: number, signal?: AbortSignal): Promise<void>;
  giveBack(claim: MemoryClaim, bytes: number): void;
  /** Gives back all of it, and ends its wait. */
  close(claim: MemoryClaim): void;
}

/** What one request has of a budget. */
export class MemoryClaim {
  readonly owner: MemoryOwner;
  /** Of what all share. Either this or the other is zero. */
  sharedBytes = 0;
  /** Of the reserve for small ones. */
  reservedBytes = 0;
  readonly #budget: ClaimedMemory;
  #isOver = false;

  constructor(budget: ClaimedMemory, owner: MemoryOwner) {
    this.#budget = budget;
    this.owner = owner;
  }

  /** @returns false when there is no room at the moment, and nothing was taken */
  tryTake(bytes: number): boolean {
    return !this.#isOver && this.#budget.take(this, bytes);
  }

  /**
   * Takes bytes when there is room for them.
   * @throws GatewayError 503 when none comes for a while; the signal's reason; an error once all was given
   *   back
   */
  async take(bytes: number, signal?: AbortSignal): Promise<void> {
    if (this.#isOver) throw new Error('all was given back');
    if (!this.#budget.take(this, bytes)) await this.#budget.waitFor(this, bytes, signal);
  }

  /** What is not needed any more, or turned out not to be. */
  giveBackPart(bytes: number): void {
    if (!this.#isOver) this.#budget.giveBack(this, bytes);
  }

  /** All of it, for good; may be called more than once. */
  giveBack(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#budget.close(this);
  }
}

import type { StopSignal } from '@model-gateway/service-kit';
import type { MemoryOwner } from './shared-room.ts';

/** The budget from which claims take. It counts what each of them has. */
export interface ClaimedMemory {
  /** @returns false when there is no room, or others wait for it; then nothing was taken */
  take(claim: MemoryClaim, bytes: number): boolean;
  /** Takes bytes as soon as there is room. @throws when there is none in time; the signal's reason */
  waitFor(claim: MemoryClaim, bytes: number, signal?: StopSignal): Promise<void>;
  giveBack(claim: MemoryClaim, bytes: number): void;
  /** Gives everything back, and ends the claim's wait. */
  close(claim: MemoryClaim): void;
}

/** The share of a budget that one request has. */
export class MemoryClaim {
  readonly owner: MemoryOwner;
  /** Bytes of the shared room. Either this or `reservedBytes` is zero. */
  sharedBytes = 0;
  reservedBytes = 0;
  readonly #budget: ClaimedMemory;
  #isOver = false;

  constructor(budget: ClaimedMemory, owner: MemoryOwner) {
    this.#budget = budget;
    this.owner = owner;
  }

  /** @returns false when there is no room at the moment; then nothing was taken */
  tryTake(bytes: number): boolean {
    return !this.#isOver && this.#budget.take(this, bytes);
  }

  /**
   * Takes bytes when there is room for them.
   * @throws GatewayError 503 when there is none for a while; the signal's reason; an error when everything
   *   was given back before
   */
  async take(bytes: number, signal?: StopSignal): Promise<void> {
    if (this.#isOver) throw new Error('all was given back');
    if (!this.#budget.take(this, bytes)) await this.#budget.waitFor(this, bytes, signal);
  }

  /** Gives back bytes that are not needed, or not any more. */
  giveBackPart(bytes: number): void {
    if (!this.#isOver) this.#budget.giveBack(this, bytes);
  }

  /** Gives everything back for good; may be called more than once. */
  giveBack(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#budget.close(this);
  }
}

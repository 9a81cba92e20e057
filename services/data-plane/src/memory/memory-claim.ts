import type { StopSignal } from '@model-gateway/service-kit';
import type { MemoryBudget } from './memory-budget.ts';
import type { MemoryOwner } from './shared-room.ts';

/** The memory that one request holds of a budget. */
export class MemoryClaim {
  readonly owner: MemoryOwner;
  /** Bytes of the shared memory. Either this or `reservedBytes` is zero. */
  sharedBytes = 0;
  reservedBytes = 0;
  readonly #budget: MemoryBudget;
  #isOver = false;

  constructor(budget: MemoryBudget, owner: MemoryOwner) {
    this.#budget = budget;
    this.owner = owner;
  }

  /** Takes memory at once. @returns false, and takes nothing, if there is none */
  tryTake(bytes: number): boolean {
    return !this.#isOver && this.#budget.take(this, bytes);
  }

  /**
   * Takes memory as soon as there is some.
   * @throws GatewayError 503 if there is none for a while; the signal's reason; an error after `giveBack`
   */
  async take(bytes: number, signal?: StopSignal): Promise<void> {
    if (this.#isOver) throw new Error('the memory was given back');
    if (!this.#budget.take(this, bytes)) await this.#budget.waitFor(this, bytes, signal);
  }

  /** Releases a part of the memory. */
  giveBackPart(bytes: number): void {
    if (!this.#isOver) this.#budget.giveBack(this, bytes);
  }

  /** Releases all memory for good; may be called more than once. */
  giveBack(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#budget.close(this);
  }
}

import type { StopSignal } from '@model-gateway/service-kit';
import type { MemoryOwner } from './shared-memory.ts';

/** The operations of a budget on its claims. */
interface ClaimedBudget {
  tryTake(claim: MemoryClaim, bytes: number): boolean;
  waitFor(claim: MemoryClaim, bytes: number, signal?: StopSignal): Promise<void>;
  giveBack(claim: MemoryClaim, bytes: number): void;
  close(claim: MemoryClaim): void;
}

/** The memory that one request holds of a budget. */
export class MemoryClaim {
  readonly owner: MemoryOwner;
  /** Bytes of the shared memory. Either this or `reservedBytes` is zero. */
  sharedBytes = 0;
  reservedBytes = 0;
  readonly #budget: ClaimedBudget;
  #isOver = false;

  constructor(budget: ClaimedBudget, owner: MemoryOwner) {
    this.#budget = budget;
    this.owner = owner;
  }

  /** True for a claim that holds shared memory, and so goes first when it needs more. */
  get isGrowing(): boolean {
    return this.sharedBytes > 0;
  }

  get bytes(): number {
    return this.sharedBytes + this.reservedBytes;
  }

  /** Takes memory at once. @returns false, and takes nothing, if there is none */
  tryTake(bytes: number): boolean {
    return !this.#isOver && this.#budget.tryTake(this, bytes);
  }

  /**
   * Takes memory as soon as there is some.
   * @throws GatewayError 503 if there is none for a while; the signal's reason; an error after `giveBack`
   */
  async take(bytes: number, signal?: StopSignal): Promise<void> {
    if (this.#isOver) throw new Error('the memory was given back');
    if (!this.#budget.tryTake(this, bytes)) await this.#budget.waitFor(this, bytes, signal);
  }

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

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Units } from '@model-gateway/shared';
import type { Funding } from './funding.ts';

/** Spare money of a new allowance, in recent average requests, and its upper bound. */
const SPARE_REQUESTS = 32n;
/** Callers can name any number of end users, whose spare money would tie up the pools of all. */
const SPARE_REQUESTS_OF_END_USER = 1n;
const MAX_SPARE_REQUESTS = 1_024n;
/** If a grant is used up faster, the spare money is doubled, because a busy database takes time. */
const SPARE_SHOULD_LAST_MS = 1_000;
/** If a grant lasts longer, the spare money is halved: other processes may need it. */
const SPARE_TOO_LONG_MS = 8_000;
/** Refill when less than 1/4 of the spare money is left. */
const REFILL_AT = 4n;
/** Exponential smoothing of the average request: the newest one weighs 1/8. */
const SMOOTHING = 8n;
/** A request waits this long for the running one if its payer has uncollected money. */
const ONE_BY_ONE_WAIT_MS = 1_000;

export interface WaitingRequest {
  need: bigint;
  /** The need if the request cannot get more later. */
  wholeNeed: bigint;
  resolve: (hold: Hold) => void;
  reject: (reason: unknown) => void;
}

/** Money set aside for one running request, in nano-USD. */
export interface Hold {
  allowance: PayerAllowance;
  nanoUsd: bigint;
  /** What the money was reserved for. */
  maxUnits?: Units;
  /** The requested service tier; undefined: none. */
  serviceTier?: string | undefined;
  isSettled?: true;
}

export interface Granted {
  granted: bigint;
  exact: boolean;
  recall: number;
  /** Nano-USD that no pool covered; absent: none. While there are any, requests run one at a time. */
  uncollected?: bigint;
}

/**
 * Money of a payer that this process may spend within budgets, in nano-USD; the control plane has set it
 * aside. Both sides exchange totals, never differences, so lost and repeated messages change nothing.
 */
export class PayerAllowance {
  readonly id = randomUUID();
  readonly funding: Funding;
  readonly waiting: WaitingRequest[] = [];
  /** True while a call fetches more. */
  isFilling = false;
  /** True once it is retired: it ends with its running requests. */
  isRetired = false;
  /** True until the control plane has confirmed the returned total. */
  owesReturn = false;
  lastUsedMs = performance.now();
  refillNotBeforeMs = 0;
  /** Requests that hold money, and ended requests without a confirmed settlement. */
  running = 0;
  unsettled = 0;
  #granted = 0n;
  #returned = 0n;
  #spent = 0n;
  #reserved = 0n;
  #usualNeed = 0n;
  readonly #leastSpareRequests: bigint;
  #spareRequests: bigint;
  #lastSpare = 0n;
  #grantedAtMs = Number.NEGATIVE_INFINITY;
  /** True if spare money must be returned at once. */
  #exact = true;
  #isOneByOne = false;
  #nextEnd: PromiseWithResolvers<void> | undefined;
  #recall = 0;
  #answeredRecall = 0;

  constructor(funding: Funding) {
    this.funding = funding;
    const isOfEndUser = funding.windows.some(({ budget }) => budget.scope === 'end_user');
    this.#leastSpareRequests = isOfEndUser ? SPARE_REQUESTS_OF_END_USER : SPARE_REQUESTS;
    this.#spareRequests = this.#leastSpareRequests;
  }

  /** Returns the unreserved money; negative when requests cost more than they reserved. */
  get available(): bigint {
    return this.#granted - this.#returned - this.#spent - this.#reserved;
  }

  get reserved(): bigint {
    return this.#reserved;
  }

  /** Returns the highest granted total that a response has reported. */
  get granted(): bigint {
    return this.#granted;
  }

  get returned(): bigint {
    return this.#returned;
  }

  get recall(): number {
    return this.#recall;
  }

  /** Returns true if the last recall is not answered yet. */
  get hasOpenRecall(): boolean {
    return this.#recall > this.#answeredRecall;
  }

  /** Returns true if the payer has uncollected money: then a running request gets no more. */
  get isOneByOne(): boolean {
    return this.#isOneByOne;
  }

  get isExact(): boolean {
    return this.#exact;
  }

  /** Returns true once a window of its budgets has ended: only running requests still use it. */
  get hasEnded(): boolean {
    return Date.now() >= this.funding.endsAtMs;
  }

  /** Returns how much spare money to request. */
  get spareWanted(): bigint {
    if (this.hasEnded) return 0n;
    // Without an average yet, use the first waiting request.
    return (this.#usualNeed || (this.waiting[0]?.need ?? 0n)) * this.#spareRequests;
  }

  /** Returns true if more should be fetched before a request has to wait. */
  get wantsRefill(): boolean {
    if (this.#exact || performance.now() < this.refillNotBeforeMs) return false;
    const low = (this.#usualNeed * this.#spareRequests) / REFILL_AT;
    const half = this.#lastSpare / 2n;
    return this.available < (low < half ? low : half);
  }

  /** Returns true if a request that needs this much may run now. */
  covers(nanoUsd: bigint): boolean {
    return this.available >= nanoUsd && !(this.#isOneByOne && this.running > 0);
  }

  /** Waits until a running request ends if the payer has uncollected money. @returns false if none has */
  async waitForRunning(): Promise<boolean> {
    if (!this.#isOneByOne || this.running === 0) return false;
    this.#nextEnd ??= Promise.withResolvers();
    const { promise } = this.#nextEnd;
    return await Promise.race([promise.then(() => true), wait(ONE_BY_ONE_WAIT_MS, false, { ref: false })]);
  }

  reserve(nanoUsd: bigint): Hold {
    this.#reserved += nanoUsd;
    this.#usualNeed =
      this.#usualNeed === 0n ? nanoUsd : (this.#usualNeed * (SMOOTHING - 1n) + nanoUsd) / SMOOTHING;
    this.running += 1;
    this.lastUsedMs = performance.now();
    return { allowance: this, nanoUsd };
  }

  /** Adds unreserved money to a hold. @returns false if there is not enough */
  extend(hold: Hold, nanoUsd: bigint): boolean {
    if (hold.isSettled === true || this.available < nanoUsd) return false;
    this.#reserved += nanoUsd;
    hold.nanoUsd += nanoUsd;
    this.lastUsedMs = performance.now();
    return true;
  }

  /** Adds a hold to another one of this allowance. */
  merge(hold: Hold, added: Hold): void {
    hold.nanoUsd += added.nanoUsd;
    added.isSettled = true;
    this.running -= 1;
  }

  /** Replaces a request's hold by its cost, once. */
  settle(hold: Hold, costNanoUsd: bigint): void {
    if (hold.isSettled === true) return;
    hold.isSettled = true;
    this.#reserved -= hold.nanoUsd;
    this.#spent += costNanoUsd;
    this.running -= 1;
    this.lastUsedMs = performance.now();
    this.#nextEnd?.resolve();
    this.#nextEnd = undefined;
  }

  /** Applies a grant. @param needed the part that waiting requests need */
  grant({ granted, exact, recall, uncollected = 0n }: Granted, needed: bigint): void {
    this.#isOneByOne = uncollected > 0n;
    // Responses may overtake each other.
    if (granted > this.#granted) {
      const more = granted - this.#granted;
      this.#lastSpare = more > needed ? more - needed : 0n;
      this.#granted = granted;
      if (!exact && more > needed) this.#adaptSpare();
    }
    // A recall also concerns money that was granted before it.
    this.#exact = exact || recall < this.#recall;
  }

  /** Doubles the spare money if the last grant was used up quickly. */
  #adaptSpare(): void {
    const nowMs = performance.now();
    const lastedMs = nowMs - this.#grantedAtMs;
    this.#grantedAtMs = nowMs;
    if (lastedMs < SPARE_SHOULD_LAST_MS && this.#spareRequests < MAX_SPARE_REQUESTS)
      this.#spareRequests *= 2n;
  }

  /** Returns the surplus of a grant that has lasted too long. */
  giveBackSurplus(): void {
    const nowMs = performance.now();
    const isLeast = this.#spareRequests === this.#leastSpareRequests;
    if (isLeast || nowMs - this.#grantedAtMs < SPARE_TOO_LONG_MS) return;
    this.#grantedAtMs = nowMs;
    this.#spareRequests /= 2n;
    const surplus = this.available - this.spareWanted;
    if (surplus <= 0n) return;
    this.#returned += surplus;
    this.owesReturn = true;
  }

  /** Call this when other processes need the money. From then on, spare money is returned at once. */
  markRecalled(recall: number): void {
    this.#recall = Math.max(this.#recall, recall);
    this.#exact = true;
  }

  markRecallAnswered(recall: number): void {
    this.#answeredRecall = Math.max(this.#answeredRecall, recall);
  }

  /** Counts all unreserved money as returned. @returns true if there was any */
  giveBackUnused(): boolean {
    if (this.available <= 0n) return false;
    this.#returned += this.available;
    this.owesReturn = true;
    return true;
  }
}

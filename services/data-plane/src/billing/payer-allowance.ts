import { randomUUID } from 'node:crypto';
import { encodeLevel, type Payer } from '@model-gateway/shared';

/** How many requests like the recent ones a new allowance should last, and the most that one ever does. */
const SPARE_REQUESTS = 32n;
const MAX_SPARE_REQUESTS = 1_024n;
/** Money to spare that lasts shorter is too little: to fetch more takes time with a busy database. */
const SPARE_SHOULD_LAST_MS = 1_000;
/** Money to spare that lasts longer keeps too much from others. */
const SPARE_TOO_LONG_MS = 8_000;
/** When less than this part of the spare money is left, more is fetched in advance. */
const REFILL_AT = 4n;
/** The newest request has this part of the weight in what counts as usual. */
const SMOOTHING = 8n;

export interface WaitingRequest {
  need: bigint;
  resolve: (hold: Hold) => void;
  reject: (reason: unknown) => void;
}

/** Money set aside for one running request, in nano-USD. */
export interface Hold {
  allowance: PayerAllowance;
  nanoUsd: bigint;
}

/** The state of an allowance, as the control plane reports it. */
export interface Granted {
  granted: bigint;
  exact: boolean;
  recall: number;
}

/**
 * Money of a payer that this process may spend, in nano-USD. The control plane has set all of it aside, so
 * that what is reserved here is covered. It is told totals, never differences, so that lost answers and
 * repeated calls change nothing.
 */
export class PayerAllowance {
  readonly id = randomUUID();
  readonly payer: Payer;
  readonly waiting: WaitingRequest[] = [];
  /** True if a call for more is under way. */
  isFilling = false;
  /** True if it covers no further requests: it ends with those that are running. */
  isLeft = false;
  /** True if the control plane has not yet confirmed what was given back. */
  owesReturn = false;
  lastUsedMs = performance.now();
  refillNotBeforeMs = 0;
  /** How many requests hold money, and how many have ended without a confirmed settlement. */
  running = 0;
  unsettled = 0;
  #granted = 0n;
  #returned = 0n;
  #spent = 0n;
  #reserved = 0n;
  #usualNeed = 0n;
  #spareRequests = SPARE_REQUESTS;
  #lastSpare = 0n;
  #grantedAtMs = Number.NEGATIVE_INFINITY;
  /** True if nothing may be kept that no request needs. */
  #exact = true;
  #recall = 0;
  #answered = 0;

  constructor(payer: Payer) {
    this.payer = payer;
  }

  /** The money that no request has reserved; negative when requests cost more than they had reserved. */
  get available(): bigint {
    return this.#granted - this.#returned - this.#spent - this.#reserved;
  }

  /** Returns the money that running requests hold. */
  get reserved(): bigint {
    return this.#reserved;
  }

  /** Everything that was ever granted, as far as is known here. */
  get granted(): bigint {
    return this.#granted;
  }

  /** Everything that was ever given back. */
  get returned(): bigint {
    return this.#returned;
  }

  /** The number of the last recall. */
  get recall(): number {
    return this.#recall;
  }

  /** Returns true if the control plane waits for what this process does not use. */
  get owesAnswer(): boolean {
    return this.#recall > this.#answered;
  }

  get isExact(): boolean {
    return this.#exact;
  }

  /** How much more than needed should be asked for. */
  get spareWanted(): bigint {
    // At first, the payer's first request is all that is known about what is usual.
    return (this.#usualNeed || (this.waiting[0]?.need ?? 0n)) * this.#spareRequests;
  }

  /**
   * Returns true if to ask for more before a request has to wait. For sums that would not last it is false.
   */
  get wantsRefill(): boolean {
    if (this.#exact || performance.now() < this.refillNotBeforeMs) return false;
    const low = (this.#usualNeed * this.#spareRequests) / REFILL_AT;
    const half = this.#lastSpare / 2n;
    return this.available < (low < half ? low : half);
  }

  reserve(nanoUsd: bigint): Hold {
    this.#reserved += nanoUsd;
    this.#usualNeed =
      this.#usualNeed === 0n ? nanoUsd : (this.#usualNeed * (SMOOTHING - 1n) + nanoUsd) / SMOOTHING;
    this.running += 1;
    this.lastUsedMs = performance.now();
    return { allowance: this, nanoUsd };
  }

  /** To be called when a request has ended, with its cost. */
  settle(heldNanoUsd: bigint, costNanoUsd: bigint): void {
    this.#reserved -= heldNanoUsd;
    this.#spent += costNanoUsd;
    this.running -= 1;
    this.lastUsedMs = performance.now();
  }

  /** @param needed the part of it for which requests are waiting */
  grant({ granted, exact, recall }: Granted, needed: bigint): void {
    // Answers may overtake each other.
    if (granted > this.#granted) {
      const more = granted - this.#granted;
      this.#lastSpare = more > needed ? more - needed : 0n;
      this.#granted = granted;
      if (!exact && more > needed) this.#adaptSpare();
    }
    // A recall also concerns money that was granted before it.
    this.#exact = exact || recall < this.#recall;
  }

  /** Fetches more for payers whose requests use it up quickly, and less for others. */
  #adaptSpare(): void {
    const nowMs = performance.now();
    const lastedMs = nowMs - this.#grantedAtMs;
    this.#grantedAtMs = nowMs;
    if (lastedMs < SPARE_SHOULD_LAST_MS && this.#spareRequests < MAX_SPARE_REQUESTS)
      this.#spareRequests *= 2n;
  }

  /** Counts money that has lasted too long as given back: requests come less often than before. */
  giveBackSurplus(): void {
    const nowMs = performance.now();
    if (nowMs - this.#grantedAtMs < SPARE_TOO_LONG_MS || this.#spareRequests === SPARE_REQUESTS) return;
    this.#grantedAtMs = nowMs;
    this.#spareRequests /= 2n;
    const surplus = this.available - this.spareWanted;
    if (surplus <= 0n) return;
    this.#returned += surplus;
    this.owesReturn = true;
  }

  /** To be called when others need the money: nothing is kept to spare from now on. */
  recalled(recall: number): void {
    this.#recall = Math.max(this.#recall, recall);
    this.#exact = true;
  }

  answered(recall: number): void {
    this.#answered = Math.max(this.#answered, recall);
  }

  /** Counts what is not reserved as given back. @returns true if that was anything */
  giveBackUnused(): boolean {
    const { available } = this;
    if (available <= 0n) return false;
    this.#returned += available;
    this.owesReturn = true;
    return true;
  }
}

/** Returns the same text for the same levels in the same order only: no id contains NUL. */
export function identifyPayer(payer: Payer): string {
  return payer.map(encodeLevel).join('\0');
}

import { randomUUID } from 'node:crypto';
import type { KeyContext } from '../keys/key-context.ts';

/** Who pays for a key: its seat (and then the team), or its account; as the control plane is told of it. */
export interface Payer {
  accountId: string;
  seatId?: string;
  teamId?: string;
}

export function payerOf({ accountId, seatId, teamId }: KeyContext): Payer {
  return {
    accountId,
    ...(seatId === undefined ? {} : { seatId }),
    ...(teamId === undefined ? {} : { teamId }),
  };
}

/** Requests like the recent ones that a new allowance should last for, and the most that one ever does. */
const SPARE_REQUESTS = 32n;
const MAX_SPARE_REQUESTS = 1_024n;
/** What lasts shorter is too little: fetching more takes milliseconds, and many where the database is busy. */
const SPARE_SHOULD_LAST_MS = 1_000;
/** What lasts longer keeps more from others than is useful. */
const SPARE_TOO_LONG_MS = 8_000;
/** With less than this part of the spare left, more is fetched beside the requests. */
const REFILL_AT = 4n;
/** How much the newest request counts in what is taken for usual. */
const SMOOTHING = 8n;

/** A request that waits for money. */
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

/** What the control plane says of an allowance. */
export interface Granted {
  granted: bigint;
  exact: boolean;
  recall: number;
}

/**
 * Money of one payer that this process may spend, in nano-USD. The control plane has all of it set aside, so what is
 * reserved here is covered. It is told totals, never differences: a lost answer or a repeated call changes nothing.
 */
export class PayerAllowance {
  readonly id = randomUUID();
  readonly payer: Payer;
  readonly waiting: WaitingRequest[] = [];
  /** A call for more is under way. */
  isFilling = false;
  /** No request is to be covered from it any more; it ends with those that are running. */
  isLeft = false;
  /** The control plane has not confirmed yet what was given back. */
  owesReturn = false;
  lastUsedMs = performance.now();
  refillNotBeforeMs = 0;
  /** Requests that hold money, and ended ones whose settlement is not confirmed. */
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
  /** Nothing is to be kept that no request needs. */
  #exact = true;
  #recall = 0;
  #answered = 0;

  constructor(payer: Payer) {
    this.payer = payer;
  }

  /** What no request has reserved; negative when requests cost more than they had reserved. */
  get available(): bigint {
    return this.#granted - this.#returned - this.#spent - this.#reserved;
  }

  /** All that was ever granted, as far as is known here. */
  get granted(): bigint {
    return this.#granted;
  }

  /** All that was ever given back. */
  get returned(): bigint {
    return this.#returned;
  }

  /** The last recall that was heard of. */
  get recall(): number {
    return this.#recall;
  }

  /** The control plane waits for what this process does not use. */
  get owesAnswer(): boolean {
    return this.#recall > this.#answered;
  }

  get isExact(): boolean {
    return this.#exact;
  }

  /** How much more than needed is worth asking for. */
  get spareWanted(): bigint {
    // The first request of a payer is all that is known of what is usual.
    return (this.#usualNeed || (this.waiting[0]?.need ?? 0n)) * this.#spareRequests;
  }

  /** Whether to ask for more before a request has to wait; never for sums that would not last. */
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

  /** The request has ended and costs this. */
  settle(heldNanoUsd: bigint, costNanoUsd: bigint): void {
    this.#reserved -= heldNanoUsd;
    this.#spent += costNanoUsd;
    this.running -= 1;
    this.lastUsedMs = performance.now();
  }

  /** @param needed what of it requests are waiting for */
  grant({ granted, exact, recall }: Granted, needed: bigint): void {
    // Answers may overtake each other.
    if (granted > this.#granted) {
      const more = granted - this.#granted;
      this.#lastSpare = more > needed ? more - needed : 0n;
      this.#granted = granted;
      if (!exact && more > needed) this.#adaptSpare();
    }
    // What was granted before a recall is meant by it, too.
    this.#exact = exact || recall < this.#recall;
  }

  /** More for payers whose requests use it up quickly, less for others. */
  #adaptSpare(): void {
    const nowMs = performance.now();
    const lastedMs = nowMs - this.#grantedAtMs;
    this.#grantedAtMs = nowMs;
    if (lastedMs < SPARE_SHOULD_LAST_MS && this.#spareRequests < MAX_SPARE_REQUESTS)
      this.#spareRequests *= 2n;
  }

  /** Counts what has lasted too long as given back: requests come less often than they did. */
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

  /** Others need it: keep nothing to spare from now on. */
  recalled(recall: number): void {
    this.#recall = Math.max(this.#recall, recall);
    this.#exact = true;
  }

  answered(recall: number): void {
    this.#answered = Math.max(this.#answered, recall);
  }

  /** Counts what is not reserved as given back. @returns whether that was anything */
  giveBackUnused(): boolean {
    const { available } = this;
    if (available <= 0n) return false;
    this.#returned += available;
    this.owesReturn = true;
    return true;
  }
}

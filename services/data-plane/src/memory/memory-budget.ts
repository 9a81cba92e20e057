import { PatientTimer, type StopSignal } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { FairQueue } from '../keys/fair-queue.ts';
import { MemoryClaim } from './memory-claim.ts';
import { type MemoryOwner, SharedMemory, type SharedMemoryBounds } from './shared-memory.ts';
import { Shares } from './shares.ts';

/** Bounds in bytes unless named otherwise. The reserve for small claims adds to the shared memory. */
export interface MemoryBudgetBounds extends SharedMemoryBounds {
  /** Memory for claims of up to `smallBytes` only, so that large claims never block them. */
  reserveBytes: number;
  smallBytes: number;
  /** How long a claim may wait, by a clock that stops while this process is busy. */
  maxWaitMs: number;
  maxWaitingOfKey: number;
}

export interface MemoryBudgetOptions extends MemoryBudgetBounds {
  /** Creates the error for a claim that found no memory in time. */
  refusal: () => GatewayError;
}

const KEY_PART_OF_RESERVE = 1 / 4;

interface Waiter {
  claim: MemoryClaim;
  bytes: number;
  /** Sequence number, in the order of arrival. */
  number: number;
  timer: PatientTimer;
  granted: PromiseWithResolvers<void>;
}

/**
 * Memory that the requests of this process share, with bounds per key and account. Claims that find none wait
 * briefly, keys in fair order. Claims that already hold memory and grow go first: they only release it when
 * their request ends.
 */
export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #shared: SharedMemory;
  readonly #reserved: Shares;
  /** Waiting claims by key; growing ones first. */
  readonly #waiting = new FairQueue<Waiter>();
  /** True if the next claim waits for the total, not for its own share. Then no other may overtake it. */
  #isExhausted = false;
  #waits = 0;

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
    this.#shared = new SharedMemory(options);
    this.#reserved = new Shares(options.reserveBytes * KEY_PART_OF_RESERVE);
  }

  get usedBytes(): number {
    return this.#shared.usedBytes + this.#reserved.total;
  }

  get waitingClaims(): number {
    return this.#waiting.all().length;
  }

  /** Returns the number of remembered keys, accounts and waits, for tests. */
  get entries(): number {
    return this.#shared.entries + this.#reserved.size + this.waitingClaims;
  }

  open(owner: MemoryOwner): MemoryClaim {
    return new MemoryClaim(this, owner);
  }

  refusal(): GatewayError {
    return this.#options.refusal();
  }

  /** Takes memory at once. @returns false, and takes nothing, if there is none or others wait for it */
  tryTake(claim: MemoryClaim, bytes: number): boolean {
    if (bytes === 0 || this.#takeReserved(claim, bytes)) return true;
    const isBehind = this.#isExhausted || this.#waiting.has(claim.owner.keyId);
    if (isBehind && !claim.isGrowing) return false;
    return this.#check(claim, bytes) === 'free' && this.#takeShared(claim, bytes);
  }

  /** Takes memory as soon as there is some. @throws if there is none in time; the signal's reason */
  async waitFor(claim: MemoryClaim, bytes: number, signal?: StopSignal): Promise<void> {
    signal?.throwIfAborted();
    const { keyId } = claim.owner;
    // Waiting cannot help a claim beyond its share.
    const canEver = new SharedMemory(this.#options).check(claim.owner, claim.bytes + bytes) === 'free';
    const isFull = this.#waiting.of(keyId).length >= this.#options.maxWaitingOfKey;
    if (!canEver || isFull) throw this.refusal();
    const waiter: Waiter = {
      claim,
      bytes,
      number: this.#waits++,
      timer: new PatientTimer(this.#options.maxWaitMs, () => this.#refuse(waiter, this.refusal())),
      granted: Promise.withResolvers(),
    };
    this.#waiting.add(keyId, waiter, (other) => claim.isGrowing && !other.claim.isGrowing);
    const onAbort = () => this.#refuse(waiter, signal?.reason);
    signal?.addEventListener('abort', onAbort);
    this.#serve();
    if (claim.isGrowing) this.#breakDeadlock();
    try {
      await waiter.granted.promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  giveBack(claim: MemoryClaim, bytes: number): void {
    const { owner } = claim;
    if (bytes <= 0) return;
    if (claim.reservedBytes > 0) {
      const reserved = Math.min(bytes, claim.reservedBytes);
      claim.reservedBytes -= reserved;
      this.#reserved.giveBack(owner.keyId, reserved);
    } else if (claim.sharedBytes > 0) {
      const shared = Math.min(bytes, claim.sharedBytes);
      claim.sharedBytes -= shared;
      this.#shared.giveBack(owner, shared);
      if (this.#waiting.keys > 0) this.#serve();
    }
  }

  /** Releases everything and ends the claim's wait. */
  close(claim: MemoryClaim): void {
    const waiter = this.#waiting.of(claim.owner.keyId).find((one) => one.claim === claim);
    if (waiter !== undefined) this.#refuse(waiter, new Error('the memory was given back'));
    this.giveBack(claim, claim.bytes);
  }

  #takeReserved(claim: MemoryClaim, bytes: number): boolean {
    const { reserveBytes, smallBytes } = this.#options;
    const { keyId } = claim.owner;
    if (claim.isGrowing || claim.reservedBytes + bytes > smallBytes) return false;
    if (this.#reserved.total + bytes > reserveBytes || !this.#reserved.fits(keyId, bytes)) return false;
    this.#reserved.take(keyId, bytes);
    claim.reservedBytes += bytes;
    return true;
  }

  /** Checks the shared memory, including what a no longer small claim moves out of the reserve. */
  #check(claim: MemoryClaim, bytes: number) {
    return this.#shared.check(claim.owner, bytes + claim.reservedBytes);
  }

  #takeShared(claim: MemoryClaim, bytes: number): true {
    const { owner, reservedBytes } = claim;
    this.giveBack(claim, reservedBytes);
    this.#shared.take(owner, bytes + reservedBytes);
    claim.sharedBytes += bytes + reservedBytes;
    return true;
  }

  /** Serves waiting claims, one of each key in turn, without overtaking. */
  #serve(): void {
    this.#isExhausted = false;
    // In any order: growing claims could otherwise block each other behind a larger one.
    for (const waiter of this.#growing()) this.#offer(waiter);
    let served: boolean;
    do {
      served = false;
      for (const first of this.#waiting.firsts()) {
        if (this.#isExhausted) return;
        served = this.#offer(first) || served;
      }
    } while (served);
  }

  /** Serves a waiting claim if there is memory. @returns true if it was served */
  #offer(waiter: Waiter): boolean {
    const { claim, bytes, timer, granted } = waiter;
    const found = this.#check(claim, bytes);
    if (found === 'exhausted') this.#isExhausted = true;
    if (found !== 'free') return false;
    timer.clear();
    this.#waiting.served(claim.owner.keyId, waiter);
    this.#takeShared(claim, bytes);
    granted.resolve();
    return true;
  }

  #growing(): Waiter[] {
    const growing = this.#waiting.all().filter(({ claim }) => claim.isGrowing);
    return growing.sort((one, other) => one.number - other.number);
  }

  /** Breaks deadlocks of growing claims that wait for each other, by refusing the youngest. */
  #breakDeadlock(): void {
    for (;;) {
      const youngest = this.#findDeadlocked().at(-1);
      if (youngest === undefined) return;
      this.#refuse(youngest, this.refusal());
    }
  }

  /** Returns the growing claims that would find no memory even if all others released theirs. */
  #findDeadlocked(): Waiter[] {
    let deadlocked = this.#growing();
    for (;;) {
      const held = new SharedMemory(this.#options);
      for (const { claim } of deadlocked) held.take(claim.owner, claim.sharedBytes);
      const rest = deadlocked.filter(({ claim, bytes }) => held.check(claim.owner, bytes) !== 'free');
      if (rest.length === deadlocked.length) return rest;
      deadlocked = rest;
    }
  }

  #refuse(waiter: Waiter, reason: unknown): void {
    if (!this.#waiting.leave(waiter.claim.owner.keyId, waiter)) return;
    waiter.timer.clear();
    waiter.granted.reject(reason);
    this.#serve();
  }
}

/** Opens an exchange's empty claim on a budget. It is released when the exchange ends. */
export function claimMemory(
  { record, ends }: { record: { key: MemoryOwner }; ends: (() => void)[] },
  budget: MemoryBudget,
): MemoryClaim {
  const claim = budget.open(record.key);
  ends.push(() => claim.giveBack());
  return claim;
}

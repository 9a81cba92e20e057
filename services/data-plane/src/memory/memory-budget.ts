import { PatientTimer, type StopSignal } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { FairQueue } from '../keys/fair-queue.ts';
import { type ClaimedMemory, MemoryClaim } from './memory-claim.ts';
import { type MemoryOwner, type RoomBounds, SharedRoom } from './shared-room.ts';
import { Shares } from './shares.ts';

/** Bounds in bytes, except those of waiting. The reserve for small claims comes on top of the shared room. */
export interface MemoryBudgetBounds extends RoomBounds {
  /** Room that only claims of up to `smallBytes` may take, so that large claims never keep them out. */
  reserveBytes: number;
  smallBytes: number;
  /** How long a claim may wait for room, by a clock that stands still while this process is busy. */
  maxWaitMs: number;
  /** How many claims of one key may wait at the same time. */
  maxWaitingOfKey: number;
}

export interface MemoryBudgetOptions extends MemoryBudgetBounds {
  /** Makes the error for a caller whose claim found no room in time. */
  refusal: () => GatewayError;
}

/** The part of the reserve that one key may take. */
const KEY_PART_OF_RESERVE = 1 / 4;

interface Waiter {
  claim: MemoryClaim;
  bytes: number;
  /** Waiters are numbered in the order in which they came. */
  number: number;
  timer: PatientTimer;
  granted: PromiseWithResolvers<void>;
}

/**
 * Memory that the requests of this process share. No key and no account can take more than its share. A claim
 * that finds no room waits for a moment before it is refused. Keys that wait take turns, however many claims
 * each has. A claim may grow. One that already has room is served before those that have none, because it
 * gives its room back only when its request ends.
 */
export class MemoryBudget implements ClaimedMemory {
  readonly #options: MemoryBudgetOptions;
  readonly #shared: SharedRoom;
  readonly #reserved: Shares;
  /** The waiting claims by key; those that grow come first. */
  readonly #waiting = new FairQueue<Waiter>();
  /**
   * True if the next claim waits because the room itself is taken, and not because its key or account has
   * used up its share. Then nobody may overtake it.
   */
  #isExhausted = false;
  #waits = 0;

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
    this.#shared = new SharedRoom(options);
    this.#reserved = new Shares(options.reserveBytes * KEY_PART_OF_RESERVE);
  }

  get usedBytes(): number {
    return this.#shared.usedBytes + this.#reserved.total;
  }

  /** How many claims wait for room. */
  get waitingClaims(): number {
    return this.#waiting.all().length;
  }

  /** How many keys, accounts and waits are remembered. */
  get entries(): number {
    return this.#shared.entries + this.#reserved.size + this.waitingClaims;
  }

  /** Opens the claim of a request. It takes nothing yet. */
  open(owner: MemoryOwner): MemoryClaim {
    return new MemoryClaim(this, owner);
  }

  refusal(): GatewayError {
    return this.#options.refusal();
  }

  take(claim: MemoryClaim, bytes: number): boolean {
    if (bytes === 0 || this.#takeReserved(claim, bytes)) return true;
    const isBehind = this.#isExhausted || this.#waiting.has(claim.owner.keyId);
    if (isBehind && !grows(claim)) return false;
    return this.#lookFor(claim, bytes) === 'room' && this.#takeShared(claim, bytes);
  }

  async waitFor(claim: MemoryClaim, bytes: number, signal?: StopSignal): Promise<void> {
    signal?.throwIfAborted();
    const { keyId } = claim.owner;
    // Waiting cannot help a claim that is larger than its share.
    const canEver = new SharedRoom(this.#options).look(claim.owner, bytesOf(claim) + bytes) === 'room';
    const isFull = this.#waiting.of(keyId).length >= this.#options.maxWaitingOfKey;
    if (!canEver || isFull) throw this.refusal();
    const waiter: Waiter = {
      claim,
      bytes,
      number: this.#waits++,
      timer: new PatientTimer(this.#options.maxWaitMs, () => this.#refuse(waiter, this.refusal())),
      granted: Promise.withResolvers(),
    };
    this.#waiting.add(keyId, waiter, (other) => grows(claim) && !grows(other.claim));
    const onAbort = () => this.#refuse(waiter, signal?.reason);
    signal?.addEventListener('abort', onAbort);
    this.#serve();
    if (grows(claim)) this.#endStandstill();
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

  close(claim: MemoryClaim): void {
    const waiter = this.#waiting.of(claim.owner.keyId).find((one) => one.claim === claim);
    if (waiter !== undefined) this.#refuse(waiter, new Error('all was given back'));
    this.giveBack(claim, bytesOf(claim));
  }

  #takeReserved(claim: MemoryClaim, bytes: number): boolean {
    const { reserveBytes, smallBytes } = this.#options;
    const { keyId } = claim.owner;
    if (grows(claim) || claim.reservedBytes + bytes > smallBytes) return false;
    if (this.#reserved.total + bytes > reserveBytes || !this.#reserved.hasRoom(keyId, bytes)) return false;
    this.#reserved.take(keyId, bytes);
    claim.reservedBytes += bytes;
    return true;
  }

  /** A claim that is no longer small leaves the reserve, so that part is counted, too. */
  #lookFor(claim: MemoryClaim, bytes: number) {
    return this.#shared.look(claim.owner, bytes + claim.reservedBytes);
  }

  #takeShared(claim: MemoryClaim, bytes: number): true {
    const { owner, reservedBytes } = claim;
    this.giveBack(claim, reservedBytes);
    this.#shared.take(owner, bytes + reservedBytes);
    claim.sharedBytes += bytes + reservedBytes;
    return true;
  }

  /** Gives room to waiting claims: one of each key in turn, and nobody before the one whose turn it is. */
  #serve(): void {
    this.#isExhausted = false;
    // Growing claims in any order: they might else wait for each other behind one that needs more.
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

  /** @returns true if the claim has its room now */
  #offer(waiter: Waiter): boolean {
    const { claim, bytes, timer, granted } = waiter;
    const found = this.#lookFor(claim, bytes);
    if (found === 'exhausted') this.#isExhausted = true;
    if (found !== 'room') return false;
    timer.clear();
    this.#waiting.served(claim.owner.keyId, waiter);
    this.#takeShared(claim, bytes);
    granted.resolve();
    return true;
  }

  /** The growing claims, in the order in which they came. */
  #growing(): Waiter[] {
    const growing = this.#waiting.all().filter(({ claim }) => grows(claim));
    return growing.sort((one, other) => one.number - other.number);
  }

  /**
   * If nobody else can give room back, claims that hold room and wait for more would wait for each other for
   * ever. The youngest of them is then refused at once.
   */
  #endStandstill(): void {
    for (;;) {
      const youngest = this.#stuck().at(-1);
      if (youngest === undefined) return;
      this.#refuse(youngest, this.refusal());
    }
  }

  /** The growing claims that would find no room even if everybody else gave back all of theirs. */
  #stuck(): Waiter[] {
    let stuck = this.#growing();
    for (;;) {
      const held = new SharedRoom(this.#options);
      for (const { claim } of stuck) held.take(claim.owner, claim.sharedBytes);
      const rest = stuck.filter(({ claim, bytes }) => held.look(claim.owner, bytes) !== 'room');
      if (rest.length === stuck.length) return rest;
      stuck = rest;
    }
  }

  #refuse(waiter: Waiter, reason: unknown): void {
    if (!this.#waiting.leave(waiter.claim.owner.keyId, waiter)) return;
    waiter.timer.clear();
    waiter.granted.reject(reason);
    this.#serve();
  }
}

/** Returns true if the claim holds room that others wait for. */
function grows(claim: MemoryClaim): boolean {
  return claim.sharedBytes > 0;
}

function bytesOf({ sharedBytes, reservedBytes }: MemoryClaim): number {
  return sharedBytes + reservedBytes;
}

import type { GatewayError } from '@model-gateway/shared';
import { PatientTicker } from '../http/patient-ticker.ts';
import { type ClaimedMemory, MemoryClaim, type MemoryOwner } from './memory-claim.ts';
import { Shares } from './shares.ts';

/** In bytes, but for the waits. */
export interface MemoryBudgetBounds {
  /** All claims together; the reserve for small ones comes on top of it. */
  totalBytes: number;
  keyBytes: number;
  accountBytes: number;
  /** Room that only claims of up to `smallBytes` take, so that large ones never keep them out. */
  reserveBytes: number;
  smallBytes: number;
  /** How long a claim may wait for room, by a clock that stands still while this process is behind. */
  maxWaitMs: number;
  /** Claims of one key that may wait at one time. */
  maxWaitingOfKey: number;
}

export interface MemoryBudgetOptions extends MemoryBudgetBounds {
  /** What a caller is told whose claim found no room in time. */
  refusal: () => GatewayError;
}

/** Of the reserve, what one key may take. */
const KEY_PART_OF_RESERVE = 1 / 4;
const TICK_MS = 100;

interface Waiter {
  owner: MemoryOwner;
  bytes: number;
  leftMs: number;
  grant: () => void;
  refuse: (reason: unknown) => void;
}

/**
 * Memory that the requests of this process share. No key and no account can take more than its share of it, and who
 * finds no room waits for a moment before it is refused. Keys that wait have turns one after another, whatever the
 * number of their claims.
 */
export class MemoryBudget implements ClaimedMemory {
  readonly #options: MemoryBudgetOptions;
  readonly #keys: Shares;
  readonly #accounts: Shares;
  readonly #reserved: Shares;
  /** By key, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #ticker = new PatientTicker(TICK_MS, (countedMs) => this.#tick(countedMs));
  /** Somebody whose turn it is waits for room that nobody's share keeps from it: none may overtake it. */
  #isExhausted = false;

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
    this.#keys = new Shares(options.keyBytes);
    this.#accounts = new Shares(options.accountBytes);
    this.#reserved = new Shares(options.reserveBytes * KEY_PART_OF_RESERVE);
  }

  get usedBytes(): number {
    return this.#keys.total + this.#reserved.total;
  }

  /** Claims that wait for room. */
  get waitingClaims(): number {
    let count = 0;
    for (const waiters of this.#waiting.values()) count += waiters.length;
    return count;
  }

  /** For one request; it takes nothing yet. */
  open(owner: MemoryOwner): MemoryClaim {
    return new MemoryClaim(this, owner);
  }

  takeReserved(owner: MemoryOwner, bytes: number, alreadyTaken: number): boolean {
    const { reserveBytes, smallBytes } = this.#options;
    if (alreadyTaken + bytes > smallBytes || this.#reserved.total + bytes > reserveBytes) return false;
    return this.#reserved.take(owner.keyId, bytes);
  }

  takeShared(owner: MemoryOwner, bytes: number): boolean {
    if (this.#waiting.size > 0 && (this.#isExhausted || this.#waiting.has(owner.keyId))) return false;
    return this.#roomFor(owner, bytes) === 'room' && this.#take(owner, bytes);
  }

  /** @throws the refusal when no room comes in time or too many wait already; the signal's reason */
  async waitFor(owner: MemoryOwner, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { maxWaitMs, maxWaitingOfKey, keyBytes, accountBytes, totalBytes, refusal } = this.#options;
    const waiters = this.#waiting.get(owner.keyId) ?? [];
    // No wait would help a claim that is larger than a share.
    const canEver = bytes <= Math.min(keyBytes, accountBytes, totalBytes);
    if (!canEver || waiters.length >= maxWaitingOfKey) throw refusal();
    const granted = Promise.withResolvers<void>();
    const waiter: Waiter = {
      owner,
      bytes,
      leftMs: maxWaitMs,
      grant: granted.resolve,
      refuse: granted.reject,
    };
    waiters.push(waiter);
    this.#waiting.set(owner.keyId, waiters);
    this.#ticker.start();
    const onAbort = () => this.#leave(waiter, signal.reason);
    signal.addEventListener('abort', onAbort);
    this.#serve();
    try {
      await granted.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  giveBack(owner: MemoryOwner, sharedBytes: number, reservedBytes: number): void {
    if (reservedBytes > 0) this.#reserved.giveBack(owner.keyId, reservedBytes);
    if (sharedBytes === 0) return;
    this.#keys.giveBack(owner.keyId, sharedBytes);
    this.#accounts.giveBack(owner.accountId, sharedBytes);
    if (this.#waiting.size > 0) this.#serve();
  }

  #roomFor({ keyId, accountId }: MemoryOwner, bytes: number): 'room' | 'own share full' | 'exhausted' {
    if (!this.#keys.hasRoom(keyId, bytes) || !this.#accounts.hasRoom(accountId, bytes))
      return 'own share full';
    return this.#keys.total + bytes > this.#options.totalBytes ? 'exhausted' : 'room';
  }

  #take({ keyId, accountId }: MemoryOwner, bytes: number): boolean {
    return this.#keys.take(keyId, bytes) && this.#accounts.take(accountId, bytes);
  }

  /** Gives room to those who wait: one claim of each key in turn, and nobody before the one whose turn it is. */
  #serve(): void {
    this.#isExhausted = false;
    let served: boolean;
    do {
      served = false;
      for (const [keyId, waiters] of [...this.#waiting]) {
        const [first] = waiters;
        if (first === undefined) continue;
        const room = this.#roomFor(first.owner, first.bytes);
        if (room === 'own share full') continue;
        if (room === 'exhausted') {
          this.#isExhausted = true;
          return;
        }
        this.#take(first.owner, first.bytes);
        waiters.shift();
        // Behind all others.
        this.#waiting.delete(keyId);
        if (waiters.length > 0) this.#waiting.set(keyId, waiters);
        first.grant();
        served = true;
      }
    } while (served);
    if (this.#waiting.size === 0) this.#ticker.stop();
  }

  #leave(waiter: Waiter, reason: unknown): void {
    const waiters = this.#waiting.get(waiter.owner.keyId);
    const index = waiters?.indexOf(waiter) ?? -1;
    if (waiters === undefined || index === -1) return;
    waiters.splice(index, 1);
    if (waiters.length === 0) this.#waiting.delete(waiter.owner.keyId);
    waiter.refuse(reason);
    this.#serve();
  }

  #tick(countedMs: number): void {
    for (const waiters of [...this.#waiting.values()]) {
      for (const waiter of [...waiters]) {
        waiter.leftMs -= countedMs;
        if (waiter.leftMs <= 0) this.#leave(waiter, this.#options.refusal());
      }
    }
  }
}

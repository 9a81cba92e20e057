import { Shares } from './shares.ts';

/** The owner of memory. A key's memory also counts for its account. */
export interface MemoryOwner {
  readonly keyId: string;
  readonly accountId: string;
}

export interface SharedMemoryBounds {
  totalBytes: number;
  keyBytes: number;
  accountBytes: number;
}

/** Counts the shared memory by key and account. */
export class SharedMemory {
  readonly #totalBytes: number;
  readonly #keys: Shares;
  readonly #accounts: Shares;

  constructor({ totalBytes, keyBytes, accountBytes }: SharedMemoryBounds) {
    this.#totalBytes = totalBytes;
    this.#keys = new Shares(keyBytes);
    this.#accounts = new Shares(accountBytes);
  }

  get usedBytes(): number {
    return this.#keys.total;
  }

  get entries(): number {
    return this.#keys.size + this.#accounts.size;
  }

  /** Checks if memory is free for an owner. `exhausted`: the owner's shares have some, the total has none. */
  check({ keyId, accountId }: MemoryOwner, bytes: number): 'free' | 'own share full' | 'exhausted' {
    if (!this.#keys.fits(keyId, bytes) || !this.#accounts.fits(accountId, bytes)) return 'own share full';
    return this.usedBytes + bytes > this.#totalBytes ? 'exhausted' : 'free';
  }

  take({ keyId, accountId }: MemoryOwner, bytes: number): void {
    this.#keys.take(keyId, bytes);
    this.#accounts.take(accountId, bytes);
  }

  giveBack({ keyId, accountId }: MemoryOwner, bytes: number): void {
    this.#keys.giveBack(keyId, bytes);
    this.#accounts.giveBack(accountId, bytes);
  }
}

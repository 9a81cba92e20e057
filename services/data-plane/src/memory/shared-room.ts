import { Shares } from './shares.ts';

/** The owner of memory. A key's memory also counts for its account. */
export interface MemoryOwner {
  readonly keyId: string;
  readonly accountId: string;
}

export interface RoomBounds {
  totalBytes: number;
  keyBytes: number;
  accountBytes: number;
}

/** Counts the shared memory by key and account. */
export class SharedRoom {
  readonly #totalBytes: number;
  readonly #keys: Shares;
  readonly #accounts: Shares;

  constructor({ totalBytes, keyBytes, accountBytes }: RoomBounds) {
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

  check({ keyId, accountId }: MemoryOwner, bytes: number): 'room' | 'own share full' | 'exhausted' {
    if (!this.#keys.hasRoom(keyId, bytes) || !this.#accounts.hasRoom(accountId, bytes))
      return 'own share full';
    return this.usedBytes + bytes > this.#totalBytes ? 'exhausted' : 'room';
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

import { randomBytes } from 'node:crypto';
import { type Fault, faultSchema } from '../faults/fault-schema.ts';
import { isSameSecret } from '../text/signatures.ts';

/** The valid keys of a provider, and the faults of requests with each of them. */
export class ApiKeys {
  readonly #issued: readonly string[];
  readonly #revoked = new Set<string>();
  readonly #faults = new Map<string, Fault>();

  /** @param issued empty: no key is needed */
  constructor(issued: readonly string[]) {
    this.#issued = issued;
  }

  /** Returns the key that a request with this credential must have; undefined: no key is needed. */
  expectedKey(credential: string | undefined): string | undefined {
    if (this.#issued.length === 0) return undefined;
    const valid = this.#issued.filter((key) => !this.#revoked.has(key));
    const same = valid.find((key) => credential !== undefined && isSameSecret(credential, key));
    // If all keys are revoked, a random key makes every request fail.
    return same ?? valid[0] ?? randomBytes(16).toString('hex');
  }

  faultOf(credential: string | undefined): Fault | undefined {
    return credential === undefined ? undefined : this.#faults.get(credential);
  }

  revoke(key: string): void {
    this.#revoked.add(key);
  }

  restore(key: string): void {
    this.#revoked.delete(key);
  }

  setFault(key: string, fault: Fault): void {
    this.#faults.set(key, faultSchema.parse(fault));
  }

  clear(): void {
    this.#revoked.clear();
    this.#faults.clear();
  }
}

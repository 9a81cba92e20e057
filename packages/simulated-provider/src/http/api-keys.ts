import { randomBytes } from 'node:crypto';
import { type Fault, faultSchema } from '../faults/fault-schema.ts';
import { isSameSecret } from '../protocols/same-secret.ts';

/** The keys that a provider has given out, and what befalls the requests with each of them. */
export class ApiKeys {
  readonly #given: readonly string[];
  readonly #revoked = new Set<string>();
  readonly #faults = new Map<string, Fault>();

  /** @param given empty: none is needed */
  constructor(given: readonly string[]) {
    this.#given = given;
  }

  /** The key that a request has to have; undefined: none is needed. @param credential the one that it has */
  wanted(credential: string | undefined): string | undefined {
    if (this.#given.length === 0) return undefined;
    const valid = this.#given.filter((key) => !this.#revoked.has(key));
    const same = valid.find((key) => credential !== undefined && isSameSecret(credential, key));
    // While all are revoked, it has to have one that nobody has.
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

import { pepperFingerprint } from './lookup-hash.ts';
import { deriveKey, openSealedBytes, sealBytes } from './sealed-bytes.ts';

const KEY_PURPOSE = 'model-gateway provider credentials, version 1';

/**
 * Encrypts providers' credentials with a key derived from the pepper, which only control planes and data
 * planes have. A value opens only under its own name.
 */
export class CredentialSeal {
  /** Names the pepper without revealing it. */
  readonly fingerprint: string;
  readonly #key: Buffer;

  constructor(pepper: string) {
    this.fingerprint = pepperFingerprint(pepper);
    this.#key = deriveKey(pepper, KEY_PURPOSE);
  }

  seal(name: string, value: string): Buffer {
    return sealBytes(this.#key, [Buffer.from(value)], name);
  }

  /** @returns undefined if it was sealed with another pepper or name, or changed */
  open(name: string, sealed: Buffer): string | undefined {
    return openSealedBytes(this.#key, sealed, name)?.toString();
  }
}

/** Returns the seals of the current pepper and, while it is replaced, of the previous one. */
export function credentialSeals(pepper: string, oldPepper: string | undefined): CredentialSeal[] {
  return [pepper, oldPepper].flatMap((each) => (each === undefined ? [] : new CredentialSeal(each)));
}

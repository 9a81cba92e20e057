import { deriveKey, openSealedBytes, sealBytes } from '@model-gateway/shared';

const KEY_PURPOSE = 'model-gateway kept responses, version 1';

/** Encrypts the values of one account, each bound to the name under which it is stored. */
export interface AccountCipher {
  seal(pieces: readonly Buffer[], name: string): Buffer;
  /** @returns undefined for bytes that were changed, or sealed with another key, account or name */
  open(sealed: Buffer, name: string): Buffer | undefined;
}

/**
 * Encrypts stored responses. Each account has its own key, and each value is authenticated with its name, so
 * that no value can replace another.
 */
export class ResponseCipher {
  readonly #key: Buffer;

  /** @param key at least 32 random bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  of(accountId: string): AccountCipher {
    const key = deriveKey(this.#key, `${KEY_PURPOSE}\0${accountId}`);
    return {
      seal: (pieces, name) => sealBytes(key, pieces, name),
      open: (sealed, name) => openSealedBytes(key, sealed, name),
    };
  }
}

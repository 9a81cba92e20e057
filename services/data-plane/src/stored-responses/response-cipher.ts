import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
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
    const key = Buffer.from(hkdfSync('sha256', this.#key, '', `${KEY_PURPOSE}\0${accountId}`, KEY_BYTES));
    return {
      seal: (pieces, name) => seal(key, pieces, name),
      open: (sealed, name) => open(key, sealed, name),
    };
  }
}

function seal(key: Buffer, pieces: readonly Buffer[], name: string): Buffer {
  // Random, because data planes share keys and cannot share a counter.
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(name));
  const encrypted = pieces.map((piece) => cipher.update(piece));
  encrypted.push(cipher.final());
  return Buffer.concat([Buffer.of(VERSION), nonce, ...encrypted, cipher.getAuthTag()]);
}

function open(key: Buffer, sealed: Buffer, name: string): Buffer | undefined {
  const start = 1 + NONCE_BYTES;
  const end = sealed.length - TAG_BYTES;
  if (end < start || sealed[0] !== VERSION) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(1, start), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(sealed.subarray(end));
  const content = decipher.update(sealed.subarray(start, end));
  try {
    return Buffer.concat([content, decipher.final()]);
  } catch {
    return undefined;
  }
}

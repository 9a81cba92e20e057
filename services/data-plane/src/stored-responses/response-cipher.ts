import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const KEY_PURPOSE = 'model-gateway kept responses, version 1';

/** Encrypts what is kept for one account, each time for the one name under which it is saved. */
export interface AccountCipher {
  seal(pieces: readonly Buffer[], name: string): Buffer;
  /**
   * @returns undefined for what was changed, or was sealed with another key or for another account or name
   */
  open(sealed: Buffer, name: string): Buffer | undefined;
}

/**
 * Encrypts what is kept of responses. Each account has a key of its own, so that what belongs to another one
 * is not even readable; the name is part of what is proven, so that no value can take the place of another.
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
  // Random: the data planes share a key, so they cannot count together.
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

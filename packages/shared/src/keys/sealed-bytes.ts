import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Derives a key for one purpose from a secret of at least 32 random bytes. */
export function deriveKey(secret: string | Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}

/** Encrypts bytes, bound to the name under which they are stored, so that no value can replace another. */
export function sealBytes(key: Buffer, pieces: readonly Buffer[], name: string): Buffer {
  // Random, because services share keys and cannot share a counter.
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(name));
  const encrypted = pieces.map((piece) => cipher.update(piece));
  encrypted.push(cipher.final());
  return Buffer.concat([Buffer.of(VERSION), nonce, ...encrypted, cipher.getAuthTag()]);
}

/** @returns undefined for bytes that were changed, or sealed with another key or name */
export function openSealedBytes(key: Buffer, sealed: Buffer, name: string): Buffer | undefined {
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

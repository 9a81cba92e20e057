import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, base62OfUint32 } from './base62.ts';

const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const DISPLAY_PREFIX_LENGTH = 16;

/** One kind of secret that this gateway issues. */
export interface CheckedToken {
  prefix: string;
  /** Characters of every token. */
  length: number;
  /** Generates a raw token, which is shown once and stored nowhere. */
  generate(): string;
  /** Returns true if the text has the form of a token and a right checksum. The token need not exist. */
  isWellFormed(text: string): boolean;
}

/**
 * Defines tokens of a prefix, 43 base62 characters (32 random bytes) and 6 base62 characters (CRC-32 of all
 * before). The checksum lets a mistyped token be refused without a look-up and secret scanners recognise one.
 */
export function checkedToken(prefix: string): CheckedToken {
  const bodyLength = prefix.length + SECRET_LENGTH;
  const length = bodyLength + CHECKSUM_LENGTH;
  const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
  return {
    prefix,
    length,
    generate() {
      const secret = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`);
      const body = prefix + base62(secret, SECRET_LENGTH);
      return body + checksum(body);
    },
    isWellFormed: (text) =>
      text.length === length &&
      shape.test(text) &&
      text.slice(bodyLength) === checksum(text.slice(0, bodyLength)),
  };
}

/** Returns the part of a token that lists show: enough to tell tokens apart, far too little to use one. */
export function displayPrefix(raw: string): string {
  return raw.slice(0, DISPLAY_PREFIX_LENGTH);
}

function checksum(body: string): string {
  return base62OfUint32(crc32(body), CHECKSUM_LENGTH);
}

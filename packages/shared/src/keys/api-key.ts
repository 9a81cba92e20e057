import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, base62OfUint32 } from './base62.ts';

/**
 * `gw_live_` + 43 base62 characters (32 random bytes) + 6 base62 characters (CRC-32 of the 51 before).
 * The checksum lets a mistyped key be refused without a look-up and secret scanners recognise a real one.
 */
const API_KEY_PREFIX = 'gw_live_';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const BODY_LENGTH = API_KEY_PREFIX.length + SECRET_LENGTH;
const API_KEY_LENGTH = BODY_LENGTH + CHECKSUM_LENGTH;
const DISPLAY_PREFIX_LENGTH = 16;
const SHAPE = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Generates a raw key, which is shown once and stored nowhere. */
export function generateApiKey(): string {
  const secret = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`);
  const body = API_KEY_PREFIX + base62(secret, SECRET_LENGTH);
  return body + checksum(body);
}

/** Returns true if the text has the form of a key and a right checksum. The key need not exist. */
export function isWellFormedApiKey(text: string): boolean {
  return (
    text.length === API_KEY_LENGTH &&
    SHAPE.test(text) &&
    text.slice(BODY_LENGTH) === checksum(text.slice(0, BODY_LENGTH))
  );
}

/** Returns the part of a key that lists show: enough to tell keys apart, far too little to use one. */
export function displayPrefix(rawKey: string): string {
  return rawKey.slice(0, DISPLAY_PREFIX_LENGTH);
}

function checksum(body: string): string {
  return base62OfUint32(crc32(body), CHECKSUM_LENGTH);
}

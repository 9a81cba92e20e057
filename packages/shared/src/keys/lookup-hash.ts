import { createHmac } from 'node:crypto';

/**
 * Returns `v2:` + lower-case hex HMAC-SHA256(pepper, raw key). Keys are stored and looked up only in this
 * form.
 */
export function lookupHash(pepper: string, rawKey: string): string {
  return `v2:${createHmac('sha256', pepper).update(rawKey).digest('hex')}`;
}

/** Hashes a secret of another kind than API keys. The label keeps hashes of different kinds apart. */
export function labelledHash(pepper: string, label: string, raw: string): string {
  return lookupHash(pepper, `${label}\0${raw}`);
}

/** Returns a text that shows whether two services have the same pepper, without revealing it. */
export function pepperFingerprint(pepper: string): string {
  return createHmac('sha256', pepper).update('pepper-fingerprint').digest('hex').slice(0, 16);
}

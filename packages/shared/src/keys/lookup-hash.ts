import { createHmac } from 'node:crypto';

/** `v2:` + lower-case hex HMAC-SHA256(pepper, raw key): the only form in which keys are stored. */
export function lookupHash(pepper: string, rawKey: string): string {
  return `v2:${createHmac('sha256', pepper).update(rawKey).digest('hex')}`;
}

/** Tells whether two services hold the same pepper without either revealing it. */
export function pepperFingerprint(pepper: string): string {
  return createHmac('sha256', pepper).update('pepper-fingerprint').digest('hex').slice(0, 16);
}

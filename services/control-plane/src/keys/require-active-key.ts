import { failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import { keyStatus } from './key-message.ts';
import type { StoredKey } from './stored-key.ts';

/**
 * Requires an active key; only those can be rotated or change expiry.
 * @param key null: no such key
 * @throws ControlPlaneError not_found, failed_precondition
 */
export function requireActiveKey(key: StoredKey | null, keyId: string): StoredKey {
  if (key === null || key.kind === 'playground') throw notFound(`there is no key ${keyId}`);
  const refusal = changeRefusal(key);
  if (refusal === undefined) return key;
  throw failedPrecondition(refusal);
}

/** Returns why a key cannot be changed any more; undefined for an active one. */
export function changeRefusal(key: StoredKey): string | undefined {
  if (key.kind !== 'issued' && key.kind !== 'playground')
    return `the key ${key.id} belongs to demo data, and nobody has it`;
  // Allows changes of a key that only rules have ended: it works again when they change.
  switch (keyStatus({ ...key, rulesExpireAt: null })) {
    case 'revoked':
      return `the key ${key.id} is revoked: create another one`;
    case 'expired':
      return `the key ${key.id} has expired: create another one`;
    case 'suspended':
      if (key.stoppedBy !== null) {
        return `the key ${key.id} is stopped with the user who made it: activate the user at the identity provider`;
      }
      return `the key ${key.id} is suspended with its account: resume that first`;
    case 'active':
      return undefined;
  }
}

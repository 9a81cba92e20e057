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
  const refusal = refusalOf(key);
  if (refusal === undefined) return key;
  throw failedPrecondition(`the key ${keyId} ${refusal}`);
}

function refusalOf(key: StoredKey): string | undefined {
  if (key.kind !== 'issued') return 'belongs to demo data, and nobody has it';
  switch (keyStatus(key)) {
    case 'revoked':
      return 'is revoked: create another one';
    case 'expired':
      return 'has expired: create another one';
    case 'suspended':
      return 'is suspended with its account: resume that first';
    case 'active':
      return undefined;
  }
}

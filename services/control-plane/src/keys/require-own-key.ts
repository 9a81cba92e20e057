import { notFound } from '../errors/control-plane-error.ts';
import type { KeyStore } from './key-store.ts';
import type { StoredKey } from './stored-key.ts';

/** Finds a key of the account, treating others' keys as missing. @throws ControlPlaneError not_found */
export async function requireOwnKey(
  { keyStore }: { keyStore: Pick<KeyStore, 'find'> },
  accountId: string,
  keyId: string,
): Promise<StoredKey> {
  const key = await keyStore.find(keyId);
  if (key === null || key.accountId !== accountId) {
    throw notFound(`there is no key ${keyId}`);
  }
  return key;
}

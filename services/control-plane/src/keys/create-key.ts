import { displayPrefix, generateApiKey, lookupHash, newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import { ControlPlaneError } from '../control-plane-error.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

export interface CreateKeyContext {
  accountStore: AccountStore;
  keyStore: KeyStore;
  pepper: string;
}

/**
 * Issues a key. The raw key exists in the answer only: what is stored is its hash and its display prefix.
 * @param account id or e-mail address
 * @throws ControlPlaneError not_found (account), invalid_argument (name)
 */
export async function createKey(
  context: CreateKeyContext,
  request: { account: string; name: string },
): Promise<{ key: StoredKey; rawKey: string }> {
  const account = await context.accountStore.require(request.account);
  const name = request.name.trim();
  if (name.length < 1 || name.length > 200) {
    throw new ControlPlaneError('invalid_argument', 'a key needs a name of 1 to 200 characters');
  }
  const rawKey = generateApiKey();
  const key = await context.keyStore.create({
    id: newId('key'),
    accountId: account.id,
    name,
    lookupHash: lookupHash(context.pepper, rawKey),
    displayPrefix: displayPrefix(rawKey),
  });
  return { key, rawKey };
}

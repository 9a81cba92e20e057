import type { AccountStore } from '../accounts/account-store.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

export interface ListKeysContext {
  accountStore: AccountStore;
  keyStore: KeyStore;
}

/**
 * The keys of an account, revoked ones included and hidden ones not, newest first.
 * @param account id or e-mail address
 * @throws ControlPlaneError not_found
 */
export async function listKeys(
  { accountStore, keyStore }: ListKeysContext,
  account: string,
): Promise<StoredKey[]> {
  const { id } = await accountStore.require(account);
  return await keyStore.listOfAccount(id);
}

import { displayPrefix, generateApiKey, newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import { ControlPlaneError } from '../control-plane-error.ts';
import type { KeyStore, StoredKey } from './key-store.ts';
import { type Peppers, storedHashes } from './stored-hashes.ts';

export interface CreateKeyContext extends Peppers {
  accountStore: AccountStore;
  keyStore: Pick<KeyStore, 'create'>;
}

/**
 * Issues a key. The raw key exists in the answer only: what is stored is its hash and its display prefix.
 * @param request.account id or e-mail address
 * @param request.seatId an active seat of the account: the key is billed to the seat's team and counts in its
 *   limit
 * @throws ControlPlaneError not_found (account, seat), invalid_argument (name, another account's seat),
 * failed_precondition (removed seat)
 */
export async function createKey(
  context: CreateKeyContext,
  request: { account: string; name: string; seatId?: string | undefined },
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
    seatId: request.seatId,
    name,
    ...storedHashes(context, rawKey),
    displayPrefix: displayPrefix(rawKey),
  });
  return { key, rawKey };
}

import type { AccountStore } from '../accounts/account-store.ts';
import type { Actor } from '../actors/actor.ts';
import { checkKeyName } from './check-key-name.ts';
import type { KeyStore } from './key-store.ts';
import { newKey } from './new-key.ts';
import { requireFuture } from './require-future.ts';
import type { Peppers } from './stored-hashes.ts';
import type { StoredKey } from './stored-key.ts';

export interface CreateKeyContext extends Peppers {
  accountStore: AccountStore;
  keyStore: Pick<KeyStore, 'create'>;
}

/**
 * Issues a key. Stores only its hash and display prefix.
 * @param request.account id or e-mail address
 * @param request.seatId active seat of the account: its team pays, and its limit applies
 * @param request.expiresAtMs undefined: never
 * @throws ControlPlaneError not_found, invalid_argument (name, another account's seat, past expiry),
 *   failed_precondition (removed seat; account or team owner suspended or deleted)
 */
export async function createKey(
  context: CreateKeyContext,
  _actor: Actor,
  request: {
    account: string;
    name: string;
    seatId?: string | undefined;
    expiresAtMs?: string | undefined;
  },
): Promise<{ key: StoredKey; rawKey: string }> {
  const account = await context.accountStore.require(request.account);
  const name = checkKeyName(request.name);
  const expiry =
    request.expiresAtMs === undefined ? {} : { expiresAt: requireFuture(Number(request.expiresAtMs)) };
  const made = newKey(context, { accountId: account.id, seatId: request.seatId, name, ...expiry });
  return { key: await context.keyStore.create(made.key), rawKey: made.rawKey };
}

import { requireSeatOfHolder } from '../teams/ownership.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import { type CreateKeyContext, createKey } from './create-key.ts';
import type { HolderKeyStore } from './holder-key-store.ts';
import type { NewKey } from './new-key-store.ts';
import type { StoredKey } from './stored-key.ts';

export interface CreateHolderKeyContext extends Omit<CreateKeyContext, 'keyStore'> {
  seatStore: Pick<SeatStore, 'find'>;
  holderKeyStore: Pick<HolderKeyStore, 'createIssued'>;
}

interface HolderKeyRequest {
  accountId: string;
  name: string;
  seatId?: string | undefined;
  /** Who asks; undefined: not known. */
  signInId?: string | undefined;
}

/** Active ones of one account, each with limits of its own; operators can issue more. */
const MAX_HOLDER_KEYS = 500;

/**
 * As createKey, for the account that is signed in, which is given no more than MAX_HOLDER_KEYS.
 * @throws ControlPlaneError not_found (seat, another account's included), invalid_argument (name),
 * failed_precondition (removed seat, too many keys, the account is not the sign-in's any more)
 */
export async function createHolderKey(
  context: CreateHolderKeyContext,
  { accountId, name, seatId, signInId }: HolderKeyRequest,
): Promise<{ key: StoredKey; rawKey: string }> {
  const { accountStore, holderKeyStore, oldPepper, pepper } = context;
  if (seatId !== undefined) await requireSeatOfHolder(context, accountId, seatId);
  const keyStore = { create: (key: NewKey) => holderKeyStore.createIssued(key, MAX_HOLDER_KEYS, signInId) };
  return await createKey({ accountStore, keyStore, oldPepper, pepper }, { account: accountId, name, seatId });
}

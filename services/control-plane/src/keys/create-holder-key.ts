import type { Tags } from '@model-gateway/shared/rules';
import type { UserActor } from '../actors/actor.ts';
import { requireSeatOfHolder } from '../teams/ownership.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import { type CreateKeyContext, createKey } from './create-key.ts';
import type { HolderKeyStore } from './holder-key-store.ts';
import type { StoredKey } from './stored-key.ts';

export interface CreateHolderKeyContext extends Omit<CreateKeyContext, 'keyStore'> {
  seatStore: Pick<SeatStore, 'find'>;
  holderKeyStore: Pick<HolderKeyStore, 'createIssued'>;
}

interface HolderKeyRequest {
  name: string;
  seatId?: string | undefined;
  rulesJson?: string | undefined;
  tags?: Tags | undefined;
  cache?: string | undefined;
}

/** One account may have this many active keys, each with limits of its own. Operators can issue more. */
const MAX_HOLDER_KEYS = 500;

/**
 * Issues a key for the signed-in account, at most MAX_HOLDER_KEYS.
 * @throws ControlPlaneError not_found (seat of another account), invalid_argument (name), failed_precondition
 *   (removed seat, too many keys; the user has lost its role)
 */
export async function createHolderKey(
  context: CreateHolderKeyContext,
  actor: UserActor,
  { seatId, ...rest }: HolderKeyRequest,
): Promise<{ key: StoredKey; rawKey: string; hasRules: boolean }> {
  const { accountStore, holderKeyStore, oldPepper, pepper } = context;
  const { accountId, memberId } = actor;
  if (seatId !== undefined) await requireSeatOfHolder(context, accountId, seatId);
  const keyStore: CreateKeyContext['keyStore'] = {
    create: (_by, key) => holderKeyStore.createIssued(actor, key, MAX_HOLDER_KEYS),
  };
  const request = { account: accountId, seatId, memberId, ...rest };
  return await createKey({ accountStore, keyStore, oldPepper, pepper }, actor, request);
}

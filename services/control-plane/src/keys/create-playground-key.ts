import type { AccountStore } from '../accounts/account-store.ts';
import type { UserActor } from '../actors/actor.ts';
import { requireSeatOfHolder } from '../teams/ownership.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { HolderKeyStore } from './holder-key-store.ts';
import { PLAYGROUND_KEY_NAME } from './named-key.ts';
import { newKey } from './new-key.ts';
import type { Peppers } from './stored-hashes.ts';

export interface CreatePlaygroundKeyContext extends Peppers {
  accountStore: Pick<AccountStore, 'require'>;
  seatStore: Pick<SeatStore, 'find'>;
  holderKeyStore: Pick<HolderKeyStore, 'createPlayground'>;
}

const VALID_MS = 15 * 60_000;
/** Maximum live keys per account; the oldest are revoked to make room. */
const MAX_LIVE = 20;

/**
 * Issues a hidden key for 15 minutes.
 * @param request.seatId active seat of the account, whose team pays
 * @throws ControlPlaneError not_found (account, seat), failed_precondition (removed seat; the user has lost
 *   its role)
 */
export async function createPlaygroundKey(
  context: CreatePlaygroundKeyContext,
  actor: UserActor,
  { seatId }: { seatId?: string | undefined },
): Promise<{ keyId: string; rawKey: string; expiresAt: Date }> {
  const { id: accountId } = await context.accountStore.require(actor.accountId);
  if (seatId !== undefined) await requireSeatOfHolder(context, accountId, seatId);
  const { memberId } = actor;
  const { key, rawKey } = newKey(context, { accountId, seatId, memberId, name: PLAYGROUND_KEY_NAME });
  const expiresAt = new Date(Date.now() + VALID_MS);
  const { id: keyId } = await context.holderKeyStore.createPlayground(actor, key, {
    expiresAt,
    maxLive: MAX_LIVE,
  });
  return { keyId, rawKey, expiresAt };
}

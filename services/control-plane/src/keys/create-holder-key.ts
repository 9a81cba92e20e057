import { requireOwnSeat } from '../teams/require-own-seat.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import { type CreateKeyContext, createKey } from './create-key.ts';
import type { StoredKey } from './key-store.ts';

export interface CreateHolderKeyContext extends CreateKeyContext {
  seatStore: Pick<SeatStore, 'find'>;
}

/**
 * As createKey, for the account that is signed in.
 * @throws ControlPlaneError not_found (seat, another account's included), invalid_argument (name), failed_precondition
 * (removed seat)
 */
export async function createHolderKey(
  context: CreateHolderKeyContext,
  { accountId, name, seatId }: { accountId: string; name: string; seatId?: string | undefined },
): Promise<{ key: StoredKey; rawKey: string }> {
  if (seatId !== undefined) await requireOwnSeat(context, accountId, seatId);
  return await createKey(context, { account: accountId, name, seatId });
}

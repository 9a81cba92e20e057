import { newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import { ControlPlaneError } from '../control-plane-error.ts';
import { type OwnedTeamContext, requireOwnedTeam } from './require-owned-team.ts';
import type { SeatStore, StoredSeat } from './seat-store.ts';

export interface AddHolderSeatContext extends OwnedTeamContext {
  accountStore: Pick<AccountStore, 'findByEmail'>;
  seatStore: Pick<SeatStore, 'findActive' | 'create'>;
}

/**
 * Gives the account that has an e-mail address a place in a team; the owner may take one, too. Whose address is not known
 * cannot be seated: ids do not count.
 * @throws ControlPlaneError not_found (team, account), permission_denied (a member), already_exists (it has an active seat)
 */
export async function addHolderSeat(
  context: AddHolderSeatContext,
  { accountId, teamId, email }: { accountId: string; teamId: string; email: string },
): Promise<StoredSeat> {
  const team = await requireOwnedTeam(context, accountId, teamId);
  const account = await context.accountStore.findByEmail(email);
  if (account === null) {
    throw new ControlPlaneError(
      'not_found',
      'no account has this e-mail address: its owner must sign up first',
    );
  }
  return await context.seatStore.create({ id: newId('seat'), teamId: team.id, accountId: account.id });
}

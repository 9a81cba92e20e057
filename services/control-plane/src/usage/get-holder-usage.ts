import type { GetHolderUsageRequestMessage, KeyOwnerMessage } from '@model-gateway/contracts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { TeamStore } from '../teams/team-store.ts';
import { type GetUsageContext, getUsage } from './get-usage.ts';

export interface GetHolderUsageContext extends GetUsageContext {
  seatStore: Pick<SeatStore, 'find'>;
  teamStore: Pick<TeamStore, 'find'>;
}

/**
 * @throws ControlPlaneError invalid_argument; not_found (the seat is not the account's, and its team is not
 *   one that the account owns)
 */
export async function getHolderUsage(
  context: GetHolderUsageContext,
  { accountId, seatId, ...asked }: GetHolderUsageRequestMessage,
  signal: AbortSignal,
) {
  const own = { isNamed: true };
  if (seatId === undefined) return await getUsage(context, { ...asked, owner: { accountId } }, signal, own);
  const { owner, seesPools } = await seatOwner(context, accountId, seatId);
  // The names of the keys on another account's seat are not shown.
  const isNamed = owner.accountId === accountId;
  const usage = await getUsage(context, { ...asked, owner }, signal, { isNamed });
  return seesPools ? usage : { ...usage, pools: [] };
}

/**
 * A removed seat stays readable, because what was used on it has been paid for. Only the owner sees its pools
 * then, because the team's money is not the business of its former member.
 */
async function seatOwner(
  { seatStore, teamStore }: GetHolderUsageContext,
  accountId: string,
  seatId: string,
): Promise<{ owner: KeyOwnerMessage; seesPools: boolean }> {
  const seat = await seatStore.find(seatId);
  const team = seat && (await teamStore.find(seat.teamId));
  const isOwner = team?.ownerAccountId === accountId;
  if (seat === null || !(isOwner || seat.accountId === accountId)) {
    throw new ControlPlaneError('not_found', `there is no seat ${seatId}`);
  }
  return {
    owner: { accountId: seat.accountId, seatId: seat.id, teamId: seat.teamId },
    seesPools: isOwner || seat.removedAt === null,
  };
}

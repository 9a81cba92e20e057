import type { GetHolderUsageRequestMessage, KeyOwnerMessage } from '@model-gateway/contracts';
import { notFound } from '../errors/control-plane-error.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { TeamStore } from '../teams/team-store.ts';
import { type GetUsageContext, getUsage } from './get-usage.ts';

export interface GetHolderUsageContext extends GetUsageContext {
  seatStore: Pick<SeatStore, 'find'>;
  teamStore: Pick<TeamStore, 'findNotDeleted'>;
}

/** @throws ControlPlaneError invalid_argument; not_found (neither its seat nor a seat of its teams) */
export async function getHolderUsage(
  context: GetHolderUsageContext,
  { accountId, seatId, ...query }: GetHolderUsageRequestMessage,
  signal: AbortSignal,
) {
  const own = { isNamed: true };
  if (seatId === undefined) return await getUsage(context, { ...query, owner: { accountId } }, signal, own);
  const { owner, seesPools } = await seatOwner(context, accountId, seatId);
  // Hides key names on another account's seat.
  const isNamed = owner.accountId === accountId;
  const usage = await getUsage(context, { ...query, owner }, signal, { isNamed });
  return seesPools ? usage : { ...usage, pools: [] };
}

/** A removed seat stays readable, because its usage was paid for. Only the owner then sees its pools. */
async function seatOwner(
  { seatStore, teamStore }: GetHolderUsageContext,
  accountId: string,
  seatId: string,
): Promise<{ owner: KeyOwnerMessage; seesPools: boolean }> {
  const seat = await seatStore.find(seatId);
  const team = seat && (await teamStore.findNotDeleted(seat.teamId));
  const isOwner = team?.ownerAccountId === accountId;
  if (seat === null || !(isOwner || seat.accountId === accountId)) {
    throw notFound(`there is no seat ${seatId}`);
  }
  return {
    owner: { accountId: seat.accountId, seatId: seat.id, teamId: seat.teamId },
    seesPools: isOwner || seat.removedAt === null,
  };
}

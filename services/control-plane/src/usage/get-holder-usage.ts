import type { GetHolderUsageRequestMessage, KeyOwnerMessage } from '@model-gateway/contracts';
import { visibilityOf } from '../access/visibility.ts';
import type { UserActor } from '../actors/actor.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { TeamStore } from '../teams/team-store.ts';
import { type GetUsageContext, getUsage } from './get-usage.ts';

export interface GetHolderUsageContext extends GetUsageContext {
  seatStore: Pick<SeatStore, 'find'>;
  teamStore: Pick<TeamStore, 'findNotDeleted'>;
}

/**
 * Returns usage of the account; a developer gets that of the keys it made.
 * @throws ControlPlaneError invalid_argument; not_found (neither its seat nor a seat of its teams)
 */
export async function getHolderUsage(
  context: GetHolderUsageContext,
  actor: UserActor,
  { accountId: _, seatId, ...query }: GetHolderUsageRequestMessage,
  signal: AbortSignal,
) {
  const { accountId, memberId } = visibilityOf(actor);
  const own = { isNamed: true, memberId };
  if (seatId === undefined) return await getUsage(context, { ...query, owner: { accountId } }, signal, own);
  const { owner, seesPools } = await seatOwner(context, accountId, seatId);
  // Hides key names on another account's seat.
  const isNamed = owner.accountId === accountId;
  if (memberId !== undefined && !isNamed) throw notFound(`there is no seat ${seatId}`);
  const usage = await getUsage(context, { ...query, owner }, signal, { isNamed, memberId });
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

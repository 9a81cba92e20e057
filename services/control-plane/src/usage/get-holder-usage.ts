import type { GetHolderUsageRequestMessage, PayerMessage } from '@model-gateway/contracts';
import { ControlPlaneError } from '../control-plane-error.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { TeamStore } from '../teams/team-store.ts';
import { type GetUsageContext, getUsage } from './get-usage.ts';

export interface GetHolderUsageContext extends GetUsageContext {
  seatStore: Pick<SeatStore, 'find'>;
  teamStore: Pick<TeamStore, 'find'>;
}

/** @throws ControlPlaneError invalid_argument; not_found: the seat is neither the account's nor of a team that it owns */
export async function getHolderUsage(
  context: GetHolderUsageContext,
  { accountId, seatId, ...asked }: GetHolderUsageRequestMessage,
) {
  const payer = seatId === undefined ? { accountId } : await seatPayer(context, accountId, seatId);
  return await getUsage(context, { ...asked, payer });
}

/** A seat that has been removed stays readable: what was used on it has been paid for. */
async function seatPayer(
  { seatStore, teamStore }: GetHolderUsageContext,
  accountId: string,
  seatId: string,
): Promise<PayerMessage> {
  const seat = await seatStore.find(seatId);
  const team = seat && (await teamStore.find(seat.teamId));
  const isTheirs = seat?.accountId === accountId || team?.ownerAccountId === accountId;
  if (seat === null || !isTheirs) throw new ControlPlaneError('not_found', `there is no seat ${seatId}`);
  return { accountId: seat.accountId, seatId: seat.id, teamId: seat.teamId };
}

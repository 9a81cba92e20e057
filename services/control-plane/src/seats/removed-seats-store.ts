import type { RecordedChange } from '../audit/record-change.ts';
import type { Transaction } from '../database/prisma-store.ts';
import { endedWith } from './ended-with.ts';
import { seatResource } from './seat-resource.ts';

const OF_TEAM = {
  account: { select: { email: true } },
  team: { select: { ownerAccountId: true } },
} as const;

/**
 * Describes the removal of seats for the audit events of the accounts that own their teams.
 * @param seatIds removed just now
 * @param keyIds revoked with them; may also name keys on no seat
 */
export async function seatRemovals(
  transaction: Transaction,
  seatIds: readonly string[],
  keyIds: readonly string[],
): Promise<RecordedChange[]> {
  if (seatIds.length === 0) return [];
  const seats = await transaction.seat.findMany({
    where: { id: { in: [...seatIds] } },
    include: OF_TEAM,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const keys = await transaction.apiKey.findMany({
    where: { id: { in: [...keyIds] }, seatId: { in: [...seatIds] } },
    select: { id: true, seatId: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const keysOf = Map.groupBy(keys, ({ seatId }) => seatId);
  return seats.map(({ team, ...seat }) => ({
    action: 'seat.removed',
    object: { type: 'seat', id: seat.id, name: seat.account.email },
    accountId: team.ownerAccountId,
    before: seatResource({ ...seat, removedAt: null }),
    after: {
      ...seatResource(seat),
      ...endedWith({ keyIds: keysOf.get(seat.id)?.map(({ id }) => id) ?? [] }),
    },
  }));
}

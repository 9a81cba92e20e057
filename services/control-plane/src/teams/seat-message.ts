import { omitAbsent } from '../omit-absent.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';

export function seatMessage({ id, teamId, accountId, account, createdAt, removedAt }: StoredSeat) {
  return {
    id,
    teamId,
    accountId,
    accountEmail: account.email,
    createdAtMs: createdAt.getTime(),
    ...omitAbsent({ removedAtMs: removedAt?.getTime() }),
  };
}

import type { StoredSeat } from './seat-store.ts';

/** A seat as gRPC carries it (proto/gateway/v1/teams.proto). */
export function seatMessage({ id, teamId, accountId, account, createdAt, removedAt }: StoredSeat) {
  return {
    id,
    teamId,
    accountId,
    accountEmail: account.email,
    createdAtMs: createdAt.getTime(),
    ...(removedAt === null ? {} : { removedAtMs: removedAt.getTime() }),
  };
}

import type { StoredTeam } from './team-store.ts';

/** A team as gRPC carries it (proto/gateway/v1/teams.proto). */
export function teamMessage({
  id,
  ownerAccountId,
  name,
  requestsPerMinute,
  createdAt,
  deletedAt,
}: StoredTeam) {
  return {
    id,
    accountId: ownerAccountId,
    name,
    requestsPerMinute,
    createdAtMs: createdAt.getTime(),
    ...(deletedAt === null ? {} : { deletedAtMs: deletedAt.getTime() }),
  };
}

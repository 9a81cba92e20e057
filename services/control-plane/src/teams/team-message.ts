import type { StoredTeam } from './team-store.ts';

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

import type { StoredTeam } from './team-store.ts';

export function teamMessage({ createdAt, deletedAt, ownerAccountId, ...team }: StoredTeam) {
  return {
    id: team.id,
    accountId: ownerAccountId,
    name: team.name,
    requestsPerMinute: team.requestsPerMinute,
    createdAtMs: createdAt.getTime(),
    ...(deletedAt === null ? {} : { deletedAtMs: deletedAt.getTime() }),
  };
}

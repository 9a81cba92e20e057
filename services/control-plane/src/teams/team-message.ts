import { omitAbsent } from '../omit-absent.ts';
import type { StoredTeam } from './stored-team.ts';

export function teamMessage({ createdAt, deletedAt, ownerAccountId, ...team }: StoredTeam) {
  return {
    ...team,
    accountId: ownerAccountId,
    createdAtMs: createdAt.getTime(),
    ...omitAbsent({ deletedAtMs: deletedAt?.getTime() }),
  };
}

import { omitAbsent } from '../../omit-absent.ts';
import type { StoredScimToken } from './stored-token.ts';

export function scimTokenMessage(token: StoredScimToken) {
  const { accountId, createdAt, displayPrefix, id, lastUsedAt, name, revokedAt } = token;
  return {
    id,
    name,
    displayPrefix,
    createdAtMs: createdAt.getTime(),
    ...omitAbsent({
      accountId,
      revokedAtMs: revokedAt?.getTime(),
      lastUsedAtMs: lastUsedAt?.getTime(),
    }),
  };
}

import { tags } from '@model-gateway/shared/rules';
import { omitAbsent } from '../omit-absent.ts';
import type { StoredKey } from './stored-key.ts';

export function keyMessage(key: StoredKey) {
  return {
    id: key.id,
    accountId: key.accountId,
    name: key.name,
    displayPrefix: key.displayPrefix,
    kind: key.kind,
    createdAtMs: key.createdAt.getTime(),
    status: keyStatus(key),
    tags: tags.nullable().parse(key.tags) ?? {},
    ...omitAbsent({
      seatId: key.seatId,
      revokedAtMs: key.revokedAt?.getTime(),
      expiresAtMs: key.expiresAt?.getTime(),
      rulesExpireAtMs: key.rulesExpireAt?.getTime(),
      replacedBy: key.replacedBy,
      cache: key.cache,
    }),
  };
}

export type KeyStatus = 'active' | 'expired' | 'revoked' | 'suspended';

export function keyStatus({
  expiresAt,
  revokedAt,
  rulesExpireAt,
  suspendedAt,
}: Pick<StoredKey, 'expiresAt' | 'revokedAt' | 'rulesExpireAt' | 'suspendedAt'>): KeyStatus {
  if (suspendedAt !== null) return 'suspended';
  if (revokedAt !== null) return 'revoked';
  const hasExpired = [expiresAt, rulesExpireAt].some((at) => at !== null && at.getTime() <= Date.now());
  return hasExpired ? 'expired' : 'active';
}

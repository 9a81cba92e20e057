import type { StoredKey } from './stored-key.ts';

export function keyMessage(key: StoredKey) {
  return {
    id: key.id,
    accountId: key.accountId,
    ...(key.seatId === null ? {} : { seatId: key.seatId }),
    name: key.name,
    displayPrefix: key.displayPrefix,
    kind: key.kind,
    createdAtMs: key.createdAt.getTime(),
    ...(key.revokedAt === null ? {} : { revokedAtMs: key.revokedAt.getTime() }),
    status: keyStatus(key),
    ...(key.expiresAt === null ? {} : { expiresAtMs: key.expiresAt.getTime() }),
    ...(key.replacedBy === null ? {} : { replacedBy: key.replacedBy }),
  };
}

export type KeyStatus = 'active' | 'expired' | 'revoked' | 'suspended';

export function keyStatus({
  expiresAt,
  revokedAt,
  suspendedAt,
}: Pick<StoredKey, 'expiresAt' | 'revokedAt' | 'suspendedAt'>): KeyStatus {
  if (suspendedAt !== null) return 'suspended';
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
}

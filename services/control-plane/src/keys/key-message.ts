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
      replacedBy: key.replacedBy,
    }),
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

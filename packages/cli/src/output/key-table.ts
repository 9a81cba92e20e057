import type { ApiKeyMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './format-table.ts';
import { isoTimestamp, timestampOrNull } from './timestamp.ts';

export type KeyJson = ReturnType<typeof keyJson>;

/** @throws when the answer of the control plane holds no key */
export function keyJson(key: ApiKeyMessage | null) {
  if (key === null) throw new Error('the control plane answered without a key');
  return {
    id: key.id,
    account_id: key.accountId,
    ...(key.seatId === undefined ? {} : { seat_id: key.seatId }),
    name: key.name,
    prefix: key.displayPrefix,
    status: keyStatus(key),
    created_at: isoTimestamp(key.createdAtMs),
    expires_at: timestampOrNull(key.expiresAtMs),
    ...(key.rulesExpireAtMs === undefined ? {} : { rules_expire_at: isoTimestamp(key.rulesExpireAtMs) }),
    // A suspended key is not revoked for good, so it has no such time.
    revoked_at: key.status === 'suspended' ? null : timestampOrNull(key.revokedAtMs),
    ...(Object.keys(key.tags).length === 0 ? {} : { tags: key.tags }),
    ...(key.cache === undefined ? {} : { cache: key.cache }),
    ...(key.replacedBy === undefined ? {} : { replaced_by: key.replacedBy }),
  };
}

/** `suspended`: its account is suspended; the key works again when the account is resumed. */
function keyStatus({ status }: ApiKeyMessage): 'active' | 'expired' | 'revoked' | 'suspended' {
  if (status === 'active' || status === 'expired' || status === 'suspended') return status;
  return 'revoked';
}

export function keyTable(keys: readonly KeyJson[], options?: TableOptions): string {
  return formatTable(
    ['ID', 'NAME', 'PREFIX', 'STATUS', 'CREATED', 'REVOKED', 'SEAT'],
    keys.map((key) => [
      key.id,
      key.name,
      key.prefix,
      statusText(key),
      key.created_at,
      key.revoked_at ?? '-',
      key.seat_id ?? '-',
    ]),
    options,
  );
}

function statusText({ status, expires_at, rules_expire_at }: KeyJson): string {
  const [end] = [expires_at, rules_expire_at].filter((at) => typeof at === 'string').sort();
  return status === 'active' && end !== undefined ? `active until ${end}` : status;
}

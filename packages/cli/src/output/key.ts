import type { ApiKeyMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './table.ts';
import { isoTimestamp } from './timestamp.ts';

export interface KeyJson {
  id: string;
  account_id: string;
  /** Only for a key on a team seat. */
  seat_id?: string;
  name: string;
  /** The first 16 characters of the raw key. */
  prefix: string;
  /** `suspended`: its account is suspended, and the key works again when the account is resumed. */
  status: KeyStatus;
  created_at: string;
  /** Null when the key never expires. */
  expires_at: string | null;
  revoked_at: string | null;
  /** Only for a key that was rotated: the id of the key that replaced it. */
  replaced_by?: string;
}

type KeyStatus = 'active' | 'expired' | 'revoked' | 'suspended';

/** @throws when the answer of the control plane holds no key */
export function keyJson(key: ApiKeyMessage | null): KeyJson {
  if (key === null) throw new Error('the control plane answered without a key');
  return {
    id: key.id,
    account_id: key.accountId,
    ...(key.seatId === undefined ? {} : { seat_id: key.seatId }),
    name: key.name,
    prefix: key.displayPrefix,
    status: keyStatus(key),
    created_at: isoTimestamp(key.createdAtMs),
    expires_at: key.expiresAtMs === undefined ? null : isoTimestamp(key.expiresAtMs),
    // A suspended key is not revoked for good, so it has no such time.
    revoked_at:
      key.revokedAtMs === undefined || key.status === 'suspended' ? null : isoTimestamp(key.revokedAtMs),
    ...(key.replacedBy === undefined ? {} : { replaced_by: key.replacedBy }),
  };
}

function keyStatus({ status }: ApiKeyMessage): KeyStatus {
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
      key.status === 'active' && key.expires_at !== null ? `active until ${key.expires_at}` : key.status,
      key.created_at,
      key.revoked_at ?? '-',
      key.seat_id ?? '-',
    ]),
    options,
  );
}

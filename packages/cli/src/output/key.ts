import type { ApiKeyMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './table.ts';
import { isoTimestamp } from './timestamp.ts';

export interface KeyJson {
  id: string;
  account_id: string;
  /** Only for a key on a team seat. */
  seat_id?: string;
  name: string;
  /** First 16 characters of the raw key. */
  prefix: string;
  status: 'active' | 'revoked';
  created_at: string;
  revoked_at: string | null;
}

/** @throws when the answer of the control plane holds no key */
export function keyJson(key: ApiKeyMessage | null): KeyJson {
  if (key === null) throw new Error('the control plane answered without a key');
  return {
    id: key.id,
    account_id: key.accountId,
    ...(key.seatId === undefined ? {} : { seat_id: key.seatId }),
    name: key.name,
    prefix: key.displayPrefix,
    status: key.revokedAtMs === undefined ? 'active' : 'revoked',
    created_at: isoTimestamp(key.createdAtMs),
    revoked_at: key.revokedAtMs === undefined ? null : isoTimestamp(key.revokedAtMs),
  };
}

export function keyTable(keys: readonly KeyJson[], options?: TableOptions): string {
  return formatTable(
    ['ID', 'NAME', 'PREFIX', 'STATUS', 'CREATED', 'REVOKED', 'SEAT'],
    keys.map((key) => [
      key.id,
      key.name,
      key.prefix,
      key.status,
      key.created_at,
      key.revoked_at ?? '-',
      key.seat_id ?? '-',
    ]),
    options,
  );
}

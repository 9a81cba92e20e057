import type { CreateKeyResponseMessage, HolderKeyMessage } from '@model-gateway/contracts';
import type { KeyEntry } from '../../wire/keys.ts';

type ApiKeyMessage = NonNullable<CreateKeyResponseMessage['key']>;

export interface OwnSeat {
  id: string;
  teamId: string;
  teamName: string;
}

export function toKeyEntry({
  key,
  lastUsedAtMs,
  requestsThisMonth,
  teamId,
  teamName,
}: HolderKeyMessage): KeyEntry {
  if (key === null) throw new Error('the control plane sent a key without a key');
  const { seatId } = key;
  const seat = seatId === undefined ? null : { id: seatId, teamId: teamId ?? '', teamName: teamName ?? '' };
  return {
    ...toNewKeyEntry(key, seat),
    lastUsedAtMs: lastUsedAtMs === undefined ? null : Number(lastUsedAtMs),
    requestsThisMonth: Number(requestsThisMonth),
  };
}

/** Converts a key that has just been created. @param seat null: the account pays */
export function toNewKeyEntry(key: ApiKeyMessage, seat: OwnSeat | null): KeyEntry {
  const ends = [key.expiresAtMs, key.rulesExpireAtMs].filter((at) => at !== undefined);
  return {
    id: key.id,
    name: key.name,
    displayPrefix: key.displayPrefix,
    kind: key.kind === 'demo' ? 'demo' : 'issued',
    createdAtMs: Number(key.createdAtMs),
    lastUsedAtMs: null,
    requestsThisMonth: 0,
    revokedAtMs: key.revokedAtMs === undefined ? null : Number(key.revokedAtMs),
    ...(ends.length === 0 ? {} : { expiresAtMs: Math.min(...ends.map(Number)) }),
    ...(key.status === 'suspended' ? { isSuspended: true } : {}),
    seat,
    tags: key.tags,
    cache: key.cache ?? null,
  };
}

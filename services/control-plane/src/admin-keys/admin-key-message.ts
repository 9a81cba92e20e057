import { omitAbsent } from '../omit-absent.ts';
import type { NewAdminKeyRequest } from './create-admin-key.ts';
import type { StoredAdminKey } from './stored-admin-key.ts';

export function adminKeyMessage(key: StoredAdminKey) {
  const {
    accountId,
    createdAt,
    displayPrefix,
    expiresAt,
    id,
    lastUsedAt,
    name,
    networks,
    revokedAt,
    scopes,
  } = key;
  return {
    ...{ id, name, displayPrefix, networks, scopes },
    createdAtMs: createdAt.getTime(),
    ...omitAbsent({
      accountId,
      expiresAtMs: expiresAt?.getTime(),
      revokedAtMs: revokedAt?.getTime(),
      lastUsedAtMs: lastUsedAt?.getTime(),
    }),
  };
}

export function newAdminKeyMessage({ key, rawKey }: { key: StoredAdminKey; rawKey: string }) {
  return { key: adminKeyMessage(key), rawKey };
}

/** Converts a request message, in which times are text. */
export function newAdminKeyRequest(message: {
  name: string;
  scopes: string[];
  networks: string[];
  account?: string | undefined;
  expiresAtMs?: string | undefined;
}): NewAdminKeyRequest {
  const { expiresAtMs, ...request } = message;
  return { ...request, ...(expiresAtMs === undefined ? {} : { expiresAtMs: Number(expiresAtMs) }) };
}
